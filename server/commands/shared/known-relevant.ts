import type { RecordedContext } from './read-contexts.js';

/** The contexts of a file that a catalogue can be held against, and what is to be said about the others. */
export interface KnownRelevant {
  /** Right creatives of which the catalogue holds none tell nothing about it: such lines lose their `relevant`. */
  readonly contexts: readonly RecordedContext[];
  /** For the person who gave the file; null: every id is there. */
  readonly warning: string | null;
}

/**
 * Holds the ids that a file calls relevant against a catalogue. A file that was made for another catalogue would be
 * taken for one full of wrong answers.
 *
 * @param catalogue how to call it in a message, such as `snapshot 60c22d41a2dc4323`
 * @param advice what to do when the file was made for another one, by the options that the command has
 * @throws Error when the file names right creatives and the catalogue holds none of them
 */
export function knownRelevant(
  file: string,
  contexts: readonly RecordedContext[],
  known: ReadonlySet<string>,
  catalogue: string,
  advice = ANOTHER_SNAPSHOT,
): KnownRelevant {
  const named = [...new Set(contexts.flatMap(({ relevant = [] }) => relevant))];
  const missing = named.filter((id) => !known.has(id));
  if (missing.length === 0) return { contexts, warning: null };
  const count = missing.length === named.length ? 'none' : `${named.length - missing.length}`;
  const told =
    `${file}: ${count} of the ${named.length} creatives that it calls relevant ${count === '1' ? 'is' : 'are'} in ${catalogue}; ` +
    `"${missing[0]}" is not`;
  if (missing.length === named.length) {
    throw new Error(`${told}. Was it made for another catalogue? ${advice}`);
  }
  const judged = contexts.map((context) => judgeable(context, known));
  const lost = judged.filter((context, at) => context !== contexts[at]).length;
  return {
    contexts: judged,
    warning:
      `${told}. ${lost} of ${contexts.length} contexts, of which no right creative is there, are left out of what is ` +
      `judged. Was it made for another catalogue? ${advice}`,
  };
}

const ANOTHER_SNAPSHOT =
  "Index that one's feed (npm run index -- FEED), or name where it is: --snapshot ID (npm run snapshots lists them) " +
  'or --data-dir DIR';

function judgeable(context: RecordedContext, known: ReadonlySet<string>): RecordedContext {
  const { relevant, ...rest } = context;
  return relevant === undefined || relevant.length === 0 || relevant.some((id) => known.has(id)) ? context : rest;
}

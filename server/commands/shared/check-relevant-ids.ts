import type { RecordedContext } from './read-contexts.js';

/** The contexts of a file that can be compared with a catalogue, and a warning about the others. */
export interface CheckedContexts {
  /**
   * A line whose right creatives are all missing from the catalogue says nothing about it, so its `relevant` is
   * removed.
   */
  readonly contexts: readonly RecordedContext[];
  /** For the person who gave the file; null: every id is in the catalogue. */
  readonly warning: string | null;
}

/**
 * Compares the ids that a file calls relevant with a catalogue. Without this check, a file made for another catalogue
 * would look full of wrong answers.
 *
 * @param catalogue its name in messages, such as `snapshot 60c22d41a2dc4323`
 * @param advice what to do if the file was made for another catalogue, with the command's options
 * @throws Error when the file names right creatives and the catalogue has none of them
 */
export function checkRelevantIds(
  file: string,
  contexts: readonly RecordedContext[],
  known: ReadonlySet<string>,
  catalogue: string,
  advice = ANOTHER_SNAPSHOT,
): CheckedContexts {
  const named = [...new Set(contexts.flatMap(({ relevant = [] }) => relevant))];
  const missing = named.filter((id) => !known.has(id));
  if (missing.length === 0) return { contexts, warning: null };
  const count = missing.length === named.length ? 'none' : `${named.length - missing.length}`;
  const found =
    `${file}: ${count} of the ${named.length} creatives that it calls relevant ${count === '1' ? 'is' : 'are'} in ${catalogue}; ` +
    `"${missing[0]}" is not`;
  if (missing.length === named.length) {
    throw new Error(`${found}. Was it made for another catalogue? ${advice}`);
  }
  const comparable = contexts.map((context) => comparableOf(context, known));
  const leftOut = comparable.filter((context, at) => context !== contexts[at]).length;
  return {
    contexts: comparable,
    warning:
      `${found}. ${leftOut} of ${contexts.length} contexts, whose right creatives are all missing, are left out of the ` +
      `comparison. Was it made for another catalogue? ${advice}`,
  };
}

const ANOTHER_SNAPSHOT =
  "Index that catalogue's feed (npm run index -- FEED), or select it: --snapshot ID (npm run snapshots lists them) " +
  'or --data-dir DIR';

function comparableOf(context: RecordedContext, known: ReadonlySet<string>): RecordedContext {
  const { relevant, ...rest } = context;
  return relevant === undefined || relevant.length === 0 || relevant.some((id) => known.has(id)) ? context : rest;
}

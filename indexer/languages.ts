import type { Creative } from '../models/schema/creative.js';
import { primaryLanguage } from '../models/text/language.js';
import { languageName } from '../models/text/language-tag.js';
import { firstOf } from '../platform/command-line/first-of.js';

/** How many languages a summary names without --verbose. */
const LISTED = 8;

/**
 * Lists the languages of creatives in one line, the most frequent first, and whether the feed declares them or the
 * indexer detected them. The operator notices a wrong one here, and can declare the right one.
 */
export function describeLanguages(creatives: readonly Creative[], verbose: boolean): string[] {
  if (creatives.length === 0) return [];
  const counts = [...countLanguages(creatives)].toSorted(([, one], [, other]) => other.all - one.all);
  const described = ([name, { all, declared }]: (typeof counts)[number]): string =>
    `${name} ${all.toLocaleString('en')}${how(name, all, declared)}`;
  return [`  languages: ${firstOf(counts, LISTED, verbose, described)}`];
}

interface Count {
  readonly all: number;
  readonly declared: number;
}

const NOT_DETECTED = 'not detected';

function countLanguages(creatives: readonly Creative[]): Map<string, Count> {
  const counts = new Map<string, Count>();
  for (const { language, writtenIn } of creatives) {
    const tag = language ?? writtenIn;
    const name = tag === undefined ? NOT_DETECTED : (languageName(tag) ?? primaryLanguage(tag));
    const { all, declared } = counts.get(name) ?? { all: 0, declared: 0 };
    counts.set(name, { all: all + 1, declared: declared + (language === undefined ? 0 : 1) });
  }
  return counts;
}

function how(name: string, all: number, declared: number): string {
  if (name === NOT_DETECTED) return '';
  if (declared === 0) return ' (detected)';
  return declared === all ? ' (declared)' : ` (${declared.toLocaleString('en')} declared)`;
}

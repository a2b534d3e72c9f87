import type { Creative } from '../models/schema/creative.js';
import { primaryLanguage } from '../models/text/language.js';
import { languageName } from '../models/text/language-tag.js';

/** Languages that a summary names unless all are asked for. */
const LISTED = 8;

/**
 * A line of the languages that creatives are in, the most frequent first, and whether the feed says so or their texts: a wrong one
 * is noticed here, and can be declared.
 */
export function describeLanguages(creatives: readonly Creative[], verbose: boolean): string[] {
  if (creatives.length === 0) return [];
  const counts = [...countLanguages(creatives)].toSorted(([, one], [, other]) => other.all - one.all);
  const shown = verbose ? counts : counts.slice(0, LISTED);
  const more = counts.length - shown.length;
  const rest = more === 0 ? [] : [`and ${more.toLocaleString('en')} more (all with --verbose)`];
  const parts = shown.map(
    ([name, { all, declared }]) => `${name} ${all.toLocaleString('en')}${how(name, all, declared)}`,
  );
  return [`  languages: ${[...parts, ...rest].join(', ')}`];
}

interface Count {
  readonly all: number;
  readonly declared: number;
}

const NOT_TOLD = 'not told';

function countLanguages(creatives: readonly Creative[]): Map<string, Count> {
  const counts = new Map<string, Count>();
  for (const { language, writtenIn } of creatives) {
    const tag = language ?? writtenIn;
    const name = tag === undefined ? NOT_TOLD : (languageName(tag) ?? primaryLanguage(tag));
    const { all, declared } = counts.get(name) ?? { all: 0, declared: 0 };
    counts.set(name, { all: all + 1, declared: declared + (language === undefined ? 0 : 1) });
  }
  return counts;
}

function how(name: string, all: number, declared: number): string {
  if (name === NOT_TOLD) return '';
  if (declared === 0) return ' (told)';
  return declared === all ? ' (declared)' : ` (${declared.toLocaleString('en')} declared)`;
}

import { distance } from 'fastest-levenshtein';
import { inBatches } from '../../platform/time/in-batches.js';

// Shorter words have too many neighbours, and few people mistype the first letter.
const MIN_LENGTH = 5;
// The time of a comparison grows with the square of the length beyond 32 letters, and no word that people type is longer.
const MAX_LENGTH = 32;
// A word with more neighbours than this is probably not a typo.
const MAX_CORRECTIONS = 3;
/**
 * Max comparisons of words for one text, some ten milliseconds. A catalogue may have thousands of words that begin
 * alike.
 */
const MAX_COMPARISONS = 50_000;

/** How many comparisons are left for a text. */
export interface Effort {
  left: number;
}

/** Returns the effort that the words of one text may take together. */
export const effortForText = (): Effort => ({ left: MAX_COMPARISONS });

/**
 * Creates a function that returns the rare words that an unknown word may be a misspelling of: those one typo away (a
 * letter missing, added or wrong, or two adjacent letters swapped: an optimal string alignment distance of 1) with the
 * same first letter. It returns none if an ordinary word is as close, since that was probably meant, or if more than
 * three words are. Words with digits are ignored: another digit is another product. Works in batches, so that the event
 * loop is never blocked for long.
 *
 * @returns function from a word that is neither rare nor ordinary to up to three rare words; all have five to 32
 * letters. It returns none if the text's effort does not suffice.
 */
export async function createSpellingCorrections(
  rare: Iterable<string>,
  ordinary: ReadonlySet<string>,
): Promise<(word: string, effort?: Effort) => string[]> {
  const byKey = new Map<string, string[]>();
  const add = (word: string): void => {
    if (!isCandidate(word)) return;
    for (const key of keysOf(word, word.length)) {
      const list = byKey.get(key);
      if (list === undefined) byKey.set(key, [word]);
      else list.push(word);
    }
  };
  await inBatches(rare, add);
  await inBatches(ordinary, add);
  return (word, effort = effortForText()) => {
    if (!isCandidate(word) || ordinary.has(word)) return [];
    const lengths = [word.length - 1, word.length, word.length + 1];
    const keys = lengths.flatMap((length) => keysOf(word, length));
    const lists = keys.flatMap((key) => [byKey.get(key) ?? []]);
    const comparisons = lists.reduce((sum, list) => sum + list.length, 0);
    // A word with too many candidates leaves the effort to the others.
    if (comparisons > effort.left) return [];
    effort.left -= comparisons;
    const near = new Set<string>();
    for (const list of lists) for (const other of list) if (isOneTypo(word, other)) near.add(other);
    const corrections = [...near];
    return corrections.length > MAX_CORRECTIONS || corrections.some((other) => ordinary.has(other)) ? [] : corrections;
  };
}

/**
 * Returns the index keys of a word for words of this length. A single typo leaves either the first or the last letters
 * unchanged. The keys use slightly less than half of the letters, so that a swap in the middle leaves one side intact.
 */
function keysOf(word: string, length: number): string[] {
  const half = Math.floor((length - 1) / 2);
  return [`${word.slice(0, half)}-${length}`, `${word[0]}-${word.slice(-half)}${length}`];
}

const isCandidate = (word: string): boolean =>
  word.length >= MIN_LENGTH && word.length <= MAX_LENGTH && /^\p{L}+$/u.test(word);

const isOneTypo = (one: string, other: string): boolean => distance(one, other) === 1 || areSwapped(one, other);

/**
 * Returns whether swapping two adjacent letters turns one word into the other. Levenshtein counts that as two edits.
 */
function areSwapped(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at < one.length - 1 && `${one.slice(0, at)}${one[at + 1]}${one[at]}${one.slice(at + 2)}` === other;
}

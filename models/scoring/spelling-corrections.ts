import { type PackedStrings, stringAt } from '../../platform/collections/packed-strings.js';
import { inBatches } from '../../platform/time/in-batches.js';
import { type AlikeWords, alikeTo, countAlike, groupAlike } from './alike-words.js';

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

/** What corrections are found in; can be moved between threads. */
export interface Spellings {
  /** The rare and the ordinary words that may be meant. */
  readonly meant: AlikeWords;
  readonly ordinary: ReadonlySet<string>;
}

/** Prepares corrections to rare words, in batches. Words with digits are ignored: another digit is another product. */
export async function prepareCorrections(rare: Iterable<string>, ordinary: ReadonlySet<string>): Promise<Spellings> {
  const words: string[] = [];
  const add = (word: string): void => {
    if (isCandidate(word)) words.push(word);
  };
  await inBatches(rare, add);
  await inBatches(ordinary, add);
  return { meant: await groupAlike(words), ordinary };
}

/**
 * Returns the rare words that an unknown word may be a misspelling of: those one typo away (a letter missing, added or
 * wrong, or two adjacent letters swapped: an optimal string alignment distance of 1) with the same first letter. It
 * returns none if an ordinary word is as close, since that was probably meant, if more than three words are, or if the
 * text's effort does not suffice.
 *
 * @param word neither rare nor ordinary
 * @returns up to three words; all have five to 32 letters
 */
export function correctionsOf({ meant, ordinary }: Spellings, word: string, effort = effortForText()): string[] {
  if (!isCandidate(word) || ordinary.has(word)) return [];
  const candidates = countAlike(meant, word);
  // A word with too many candidates leaves the effort to the others.
  if (candidates > effort.left) return [];
  effort.left -= candidates;
  const near = new Set(alikeTo(meant, word).filter((number) => isOneTypo(meant.words, number, word)));
  const corrections = [...new Set(Array.from(near, (number) => stringAt(meant.words, number)))];
  return corrections.length > MAX_CORRECTIONS || corrections.some((other) => ordinary.has(other)) ? [] : corrections;
}

const isCandidate = (word: string): boolean =>
  word.length >= MIN_LENGTH && word.length <= MAX_LENGTH && /^\p{L}+$/u.test(word);

/**
 * Returns whether a letter is missing, added or wrong in one of two words, or two adjacent letters are swapped: then
 * nothing else remains between the letters that they begin and end with alike.
 */
function isOneTypo({ letters, starts }: PackedStrings, number: number, word: string): boolean {
  const [start, end] = [starts[number]!, starts[number + 1]!];
  const shorter = Math.min(end - start, word.length);
  let before = 0;
  while (before < shorter && letters[start + before] === word.charCodeAt(before)) before++;
  let behind = 0;
  const rest = shorter - before;
  while (behind < rest && letters[end - 1 - behind] === word.charCodeAt(word.length - 1 - behind)) behind++;
  const [other, own] = [end - start - before - behind, word.length - before - behind];
  if (other < 2 && own < 2) return other + own > 0;
  const isSwapped = (): boolean =>
    letters[start + before] === word.charCodeAt(before + 1) && letters[start + before + 1] === word.charCodeAt(before);
  return other === 2 && own === 2 && isSwapped();
}

import { foldLetters } from '../text/fold-letters.js';

/**
 * Normalises text to the form that the patterns of `lexicon/` expect: letters folded, each word between two spaces, and
 * a full stop at each end of a sentence. For example, `j'ai` becomes `j ai`.
 *
 * @param text lower-cased
 */
export function foldWords(text: string): string {
  const ends = foldLetters(text).replaceAll(/[.!?…؟।。！？\n]+/g, ' . ');
  return ` ${ends.replaceAll(/[^\p{L}\p{M}\p{N}.]+/gu, ' ')} `.replaceAll(/ {2,}/g, ' ');
}

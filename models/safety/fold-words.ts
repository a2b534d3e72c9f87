import { foldLetters } from '../text/fold-letters.js';

/**
 * Words as the patterns of `lexicon/` have them: letters folded, each word between two spaces, a full stop for every end of
 * a sentence. So `j'ai` is `j ai`.
 *
 * @param text lower-cased
 */
export function foldWords(text: string): string {
  const ends = foldLetters(text).replaceAll(/[.!?…؟।。！？\n]+/g, ' . ');
  return ` ${ends.replaceAll(/[^\p{L}\p{M}\p{N}.]+/gu, ' ')} `.replaceAll(/ {2,}/g, ' ');
}

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

/** Letters without what phones leave out (accents, Arabic vowel signs, nuktas): `größe` is `grosse`, `أُمّي` is `امي`. */
export function foldLetters(text: string): string {
  const bare = text.normalize('NFD').replaceAll(MARKS, '').normalize('NFC');
  return bare.replaceAll('\u0901', '\u0902').replaceAll(/[ıłßœøىة]/g, (letter) => LETTERS[letter]!);
}

// Latin accents; Arabic vowel signs, hamza on a carrier and the stretching line; the nukta of Hindi.
const MARKS = /[\u0300-\u036f]|[\u064b-\u065f]|\u0670|\u0640|\u093c/g;

const LETTERS: Readonly<Record<string, string>> = { ı: 'i', ł: 'l', ß: 'ss', œ: 'oe', ø: 'o', ى: 'ي', ة: 'ه' };

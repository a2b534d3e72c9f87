/**
 * Letters without what phones leave out (accents, Arabic vowel signs, nuktas), and without the differences that people
 * do not type: `größe` is `grosse`, `أُمّي` is `امي`.
 *
 * @param text lower-cased
 */
export function foldLetters(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  const bare = text.normalize('NFD').replaceAll(MARKS, '').normalize('NFC');
  return bare.replaceAll('\u0901', '\u0902').replaceAll(/[ıłđßœæøىة]/g, (letter) => LETTERS[letter]!);
}

const BEYOND_ASCII = /[^\0-\x7f]/;

// Latin accents; Arabic vowel signs, hamza on a carrier and the stretching line; the nukta of Hindi.
const MARKS = /[\u0300-\u036f]|[\u064b-\u065f]|\u0670|\u0640|\u093c/g;

// Letters that Unicode does not take apart, as people write them who have none of them on their keyboard.
const LETTERS: Readonly<Record<string, string>> = {
  ı: 'i',
  ł: 'l',
  đ: 'd',
  ß: 'ss',
  œ: 'oe',
  æ: 'ae',
  ø: 'o',
  ى: 'ي',
  ة: 'ه',
};

/**
 * Removes what people omit when typing (accents, Arabic vowel signs, nuktas) and replaces letters that they type
 * differently: `größe` becomes `grosse`, `أُمّي` becomes `امي`.
 *
 * @param text lower-cased
 */
export function foldLetters(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  const bare = text.normalize('NFD').replaceAll(MARKS, '').normalize('NFC');
  return bare.replaceAll('\u0901', '\u0902').replaceAll(/[ıłđßœæøىة]/g, (letter) => LETTERS[letter]!);
}

const BEYOND_ASCII = /[^\0-\x7f]/;

// Latin accents; Arabic vowel signs, hamza on a carrier, and tatweel; the Hindi nukta.
const MARKS = /[\u0300-\u036f]|[\u064b-\u065f]|\u0670|\u0640|\u093c/g;

// Letters that Unicode does not decompose, as people type them without such a key.
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

/**
 * Returns the key by which names are compared where a difference that nobody sees must not count: blocks of advertisers
 * and categories, and whose account a row may use. Case, compatibility forms (full width), runs of spaces and
 * characters without a glyph make no difference. Letters that look alike in different scripts (Latin a, Cyrillic а) do.
 *
 * @example nameKey('ＡＣＭＥ\u00a0 Ca\u00adsino') // 'acme casino'
 */
export function nameKey(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(BLANKS, ' ')
    .trim()
    .toLowerCase();
}

/** The last is a Braille pattern without dots. */
const BLANKS = /[\s\u2800]+/g;

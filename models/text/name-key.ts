/**
 * Returns the key by which names are compared where a difference that nobody sees must not count: blocks of advertisers
 * and categories, and whose account a row may use. Case, compatibility forms (full width), runs of spaces and
 * characters without a glyph make no difference. Letters that look alike in different scripts (Latin a, Cyrillic а) do.
 *
 * @example nameKey('ＡＣＭＥ\u00a0 Ca\u00adsino') // 'acme casino'
 */
export function nameKey(name: string): string {
  // Nearly all names, a hundred of which a match may compare.
  if (PLAIN.test(name)) return name.toLowerCase();
  // Removed before and after: they separate letters from their accents, and compatibility forms may contain them.
  const visible = name.replace(INVISIBLE, '').normalize('NFKC').replace(INVISIBLE, '');
  return visible.replace(BLANKS, ' ').trim().toLowerCase().normalize('NFC');
}

/** Returns whether a name is of ASCII and tidy, so that its key is the name in lower case. */
export function isPlainName(name: string): boolean {
  return PLAIN.test(name);
}

const PLAIN = /^[!-~]+(?: [!-~]+)*$/;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** The last is a Braille pattern without dots. */
const BLANKS = /[\s\u2800]+/g;

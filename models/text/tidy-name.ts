/**
 * Normalises the name of an advertiser, campaign or category for comparison: trims surrounding spaces and applies
 * Unicode NFC, so that names that look alike are equal. Takes linear time, since names of feeds are tidied before their
 * length is checked.
 */
export function tidyName(name: string): string {
  let end = name.length;
  // A regular expression for spaces at the end would start over at every run of spaces within.
  while (end > 0 && isSpace(name[end - 1]!)) end--;
  return name
    .slice(0, end)
    .replace(/^\p{Zs}+/u, '')
    .normalize('NFC');
}

function isSpace(character: string): boolean {
  return /^\p{Zs}$/u.test(character);
}

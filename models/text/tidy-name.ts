/**
 * Normalises the name of an advertiser, campaign or category for comparison: trims surrounding spaces and applies
 * Unicode NFC, so that names that look alike are equal.
 */
export function tidyName(name: string): string {
  return name.replace(/^\p{Zs}+|\p{Zs}+$/gu, '').normalize('NFC');
}

/**
 * A name of an advertiser, a campaign or a category as it is compared: without blanks around it, in one spelling (Unicode's NFC), so that two
 * that look alike are one.
 */
export function tidyName(name: string): string {
  return name.replace(/^\p{Zs}+|\p{Zs}+$/gu, '').normalize('NFC');
}

/** A primary language subtag of BCP 47, in lower case: `de`, `ja`. */
export type Language = string;

/** Languages that conversations are read in: English, and those that the multilingual encoder was measured on. */
export const COVERED_LANGUAGES: readonly Language[] = 'en ar de es fr hi it ja nl pl pt tr zh'.split(' ');

/** Goes up with every change by which a text is told otherwise, eld's and Unicode's too: a feed's texts are then told anew. */
export const DETECTION_VERSION = 1;

/** The primary subtag of a BCP 47 tag: `pt` of `pt-BR`. */
export function primaryLanguage(tag: string): Language {
  return new Intl.Locale(tag).language;
}

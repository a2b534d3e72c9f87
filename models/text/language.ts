/** A primary language subtag of BCP 47, in lower case: `de`, `ja`. */
export type Language = string;

/** Languages of conversations that get ads: English, and those that the multilingual encoder was measured on. */
export const COVERED_LANGUAGES: readonly Language[] = 'en ar de es fr hi it ja nl pl pt tr zh'.split(' ');

/**
 * Version of language detection. Increase it with every change to its results, including changes from eld or Unicode,
 * so that the languages of a feed's texts are detected again.
 */
export const DETECTION_VERSION = 1;

/** Returns the primary subtag of a BCP 47 tag: `pt` for `pt-BR`. */
export function primaryLanguage(tag: string): Language {
  return new Intl.Locale(tag).language;
}

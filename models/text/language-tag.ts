import { primaryLanguage, type Language } from './language.js';

/** Codes that Intl names although no text can be written in them. */
const NON_LANGUAGES: ReadonlySet<Language> = new Set(['mul', 'zxx']);

/** The two written forms of Norwegian count as one language, since detection does not distinguish them. */
const LANGUAGE_KEYS: Readonly<Partial<Record<Language, Language>>> = { nb: 'no', nn: 'no' };

let names: Intl.DisplayNames | undefined;

/** Returns a language's name. Made when first needed, since Intl takes 15 ms to load the names. */
function nameOf(language: Language): string | undefined {
  names ??= new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  return names.of(language);
}

/** Converts a BCP 47 tag to canonical form: `pt-br` to `pt-BR`, `iw` to `he`. @returns null if it is not a tag */
export const canonicalTag = cached((tag) => {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
});

/**
 * Returns the English name of a tag's language: `Portuguese` for `pt-BR`.
 *
 * @returns null if it is not a tag, or Intl does not know the language
 */
export const languageName = cached((tag) => {
  try {
    const language = primaryLanguage(tag);
    return NON_LANGUAGES.has(language) ? null : (nameOf(language) ?? null);
  } catch {
    return null;
  }
});

/** Returns whether two canonical tags have the same language, regardless of script and region. */
export function isSameLanguage(one: string, other: string): boolean {
  return languageKey(one) === languageKey(other);
}

/**
 * Returns the key that canonical tags of one language share. Uses plain string operations, since searches call it for
 * every ad.
 */
export function languageKey(tag: string): Language {
  const [language = ''] = tag.split('-', 1);
  return LANGUAGE_KEYS[language] ?? language;
}

const MAX_CACHED = 1000;

/** Caches a function of tags: a feed of a million rows has only a few, and Intl takes 4 to 30 µs per call. */
function cached(compute: (tag: string) => string | null): (tag: string) => string | null {
  const results = new Map<string, string | null>();
  return (tag) => {
    const known = results.get(tag);
    if (known !== undefined) return known;
    const result = compute(tag);
    if (results.size === MAX_CACHED) results.clear();
    results.set(tag, result);
    return result;
  };
}

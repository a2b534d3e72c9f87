import { primaryLanguage, type Language } from './language.js';

/** What Intl has names for although it is no language that anything can be written in. */
const NO_LANGUAGES: ReadonlySet<Language> = new Set(['mul', 'zxx']);

/** Of a Norwegian text it is not told in which of its two forms it is. */
const TOLD_AS: Readonly<Partial<Record<Language, Language>>> = { nb: 'no', nn: 'no' };

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** A BCP 47 tag in canonical form: `pt-BR` of `pt-br`, `he` of `iw`. @returns null for what is no tag */
export const canonicalTag = remembered((tag) => {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
});

/** What a tag's language is called in English: `Portuguese` of `pt-BR`. @returns null for no tag, or a language that Intl does not know */
export const languageName = remembered((tag) => {
  try {
    const language = primaryLanguage(tag);
    return NO_LANGUAGES.has(language) ? null : (names.of(language) ?? null);
  } catch {
    return null;
  }
});

/** Whether two canonical tags are of one language, whatever their script and region. */
export function isSameLanguage(one: string, other: string): boolean {
  return languageKey(one) === languageKey(other);
}

/** What canonical tags of one language have in common. By the text alone, since it is asked of every ad of a search. */
export function languageKey(tag: string): Language {
  const [language = ''] = tag.split('-', 1);
  return TOLD_AS[language] ?? language;
}

const MOST_REMEMBERED = 1000;

/** Asks once for each tag: a feed of a million rows has a few, and Intl takes 4 to 30 µs each time. */
function remembered(ask: (tag: string) => string | null): (tag: string) => string | null {
  const answers = new Map<string, string | null>();
  return (tag) => {
    const known = answers.get(tag);
    if (known !== undefined) return known;
    const answer = ask(tag);
    if (answers.size === MOST_REMEMBERED) answers.clear();
    answers.set(tag, answer);
    return answer;
  };
}

import { COVERED_LANGUAGES, type Language } from '../../models/text/language.js';
import { languageName } from '../../models/text/language-tag.js';
import { similarNames, suggestNames } from '../domain/names.js';

/** Returns a hint for an unknown language tag: tags of languages whose English name is near it, else tags near it. */
export function suggestLanguages(tag: string): string {
  const named = new Map(everyLanguage().map((language) => [languageName(language)!, language]));
  const near = similarNames(tag, [...named.keys()]);
  if (near.length === 0) return suggestNames(tag, COVERED_LANGUAGES);
  return `near it: ${near.map((name) => `"${named.get(name)}" (${name})`).join(', ')}`;
}

/** Returns the languages that have a two-letter subtag and a name. */
function everyLanguage(): Language[] {
  const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
  const pairs = letters.flatMap((one) => letters.map((other) => one + other));
  return pairs.filter((pair) => languageName(pair) !== null);
}

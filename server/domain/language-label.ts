import { COVERED_LANGUAGES, type Language } from '../../models/text/language.js';
import { languageName } from '../../models/text/language-tag.js';

/**
 * What the language of a conversation is counted as: a covered language, `other`, or `unknown`. So few that each can be a
 * label of a metric, and so coarse that it says nothing about who wrote.
 */
export type LanguageLabel = string;

export function languageLabel(language: Language | null): LanguageLabel {
  if (language === null) return 'unknown';
  return COVERED_LANGUAGES.includes(language) ? language : 'other';
}

/** For people. A label of an earlier version, which covered other languages, has its name too. */
export function labelInWords(label: LanguageLabel): string {
  if (label === 'unknown') return 'Not told by the text';
  return label === 'other' ? 'Other languages' : (languageName(label) ?? label);
}

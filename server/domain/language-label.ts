import { COVERED_LANGUAGES, type Language } from '../../models/text/language.js';
import { languageName } from '../../models/text/language-tag.js';

/**
 * The language of a conversation as counted: a covered language, `other`, or `unknown`. The values are few enough to be
 * a metric label, and so coarse that they do not identify the writer.
 */
export type LanguageLabel = string;

export function languageLabel(language: Language | null): LanguageLabel {
  if (language === null) return 'unknown';
  return COVERED_LANGUAGES.includes(language) ? language : 'other';
}

/** Returns a label's name for people. Languages covered only by an earlier version have names too. */
export function labelInWords(label: LanguageLabel): string {
  if (label === 'unknown') return 'Not detected';
  return label === 'other' ? 'Other languages' : (languageName(label) ?? label);
}

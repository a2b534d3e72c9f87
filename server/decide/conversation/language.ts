import type { Turn } from '../../../models/encoder/encoder.js';
import { primaryLanguage, tellLanguage, type Language } from '../../../models/text/language.js';

/**
 * The language that the person writes; where that does not tell, the one that is written at all: an assistant answers in it.
 *
 * @param turns oldest first: the newest words count
 * @returns null where nothing tells
 */
export function languageOf(turns: readonly Turn[]): Language | null {
  const said = turns.filter(({ speaker }) => speaker === 'user');
  const told = tellLanguage(textOf(said)) ?? tellLanguage(textOf(turns));
  return told === null ? null : primaryLanguage(told);
}

function textOf(turns: readonly Turn[]): string {
  return turns.map(({ text }) => text).join('\n');
}

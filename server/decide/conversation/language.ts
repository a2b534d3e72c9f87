import type { Turn } from '../../../models/encoder/encoder.js';
import type { Language } from '../../../models/text/language.js';
import { detectLanguage } from '../../../models/text/detect-language.js';
import type { Conversation } from './conversation.js';

/**
 * The language that the person writes in, by the newest words; where these do not tell, that of all that is said, without
 * the marks of the speakers, which are English.
 *
 * @returns null where nothing tells
 */
export function languageOf({ turns }: Pick<Conversation, 'turns'>): Language | null {
  const said = turns.filter(({ speaker }) => speaker === 'user');
  return detectLanguage(textOf(said)) ?? detectLanguage(textOf(turns));
}

function textOf(turns: readonly Turn[]): string {
  return turns.map(({ text }) => text).join('\n');
}

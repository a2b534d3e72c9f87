import type { Turn } from '../../../models/encoder/encoder.js';
import type { Language } from '../../../models/text/language.js';
import { detectLanguage } from '../../../models/text/detect-language.js';
import type { Conversation } from './conversation.js';

/**
 * Detects the language that the user writes in, from the newest words. If they are not enough, it uses all turns,
 * without the speaker labels, which are English.
 *
 * @returns null when no language was detected
 */
export function languageOf({ turns }: Pick<Conversation, 'turns'>): Language | null {
  const said = turns.filter(({ speaker }) => speaker === 'user');
  return detectLanguage(textOf(said)) ?? detectLanguage(textOf(turns));
}

function textOf(turns: readonly Turn[]): string {
  return turns.map(({ text }) => text).join('\n');
}

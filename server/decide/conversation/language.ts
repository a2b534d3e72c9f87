import { type Language, tellLanguage } from '../../../models/text/language.js';
import { type Conversation, userTextsOf } from './conversation.js';

/** The language that the person writes in; where that does not tell, the conversation's; null: neither tells. */
export function languageOf({ turns, whole }: Conversation): Language | null {
  return tellLanguage(userTextsOf(turns).toReversed().join('\n')) ?? tellLanguage(whole);
}

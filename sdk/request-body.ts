import { AdsdkError } from './error.js';
import { ownFields } from './own-fields.js';
import type { MatchOptions, Message } from './types.js';

/**
 * Returns the body of a match request: the messages if given, else the context. Only the newest 40,000 characters are
 * sent, since the server reads the newest end. Of messages, only the text of user and assistant is sent: no system
 * prompts, tool results or images. Throws `invalid-argument`.
 *
 * @param given without prototype
 * @param fields further fields of the body
 */
export function requestBody(
  { context, messages, exclude }: Partial<MatchOptions>,
  fields: Readonly<Record<string, unknown>> | undefined,
): string {
  const turns: readonly Message[] = messages ?? [{ role: 'user', content: context }];
  const said: Message[] = [];
  let left = 4e4;
  for (let at = turns.length; at--;) {
    const { role, content, parts } = ownFields(turns[at]);
    const text = [content?.length ? content : parts]
      .flat()
      .flatMap((part) =>
        typeof part == 'string' ? part : /(^|put_)text$/.test(part?.type as string) ? part!.text : [],
      )
      .join(' ')
      .slice(-left)
      // The cut may split a surrogate pair, and the server rejects lone surrogates.
      .replace(/\p{Cs}/gu, '\ufffd');
    if (left && text.trim() && (role == 'user' || role == 'assistant')) {
      left -= text.length;
      said.unshift({ role, content: text });
    }
  }
  if (!said[0]) throw new AdsdkError('invalid-argument', 'no text');
  return JSON.stringify(
    { ...(messages ? { messages: said } : { context: said[0].content }), exclude, ...fields },
    // What is there, and not what a `toJSON` that the page has set on a prototype returns for it.
    function (this: Readonly<Record<string, unknown>>, key) {
      return this[key];
    },
  );
}

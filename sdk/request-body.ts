import { AdsdkError } from './error.js';
import { ownFields } from './own-fields.js';
import type { MatchOptions, Message } from './types.js';

/**
 * The body of a match request: the messages where they are given, else the context, of either the newest 40,000
 * characters, since the server reads the newest end. Of messages, what user and assistant said is sent and nothing else:
 * system prompts, tools' results and pictures stay where they are. Throws `invalid-argument`.
 *
 * @param given without prototype
 */
export function requestBody({ context, messages }: Partial<MatchOptions>): string {
  const turns: readonly Message[] = messages ?? [{ role: 'user', content: context }];
  const bodies: string[] = [];
  let left = 4e4;
  for (let at = turns.length; at--;) {
    const { role, content, parts } = ownFields(turns[at]);
    const text = [content ?? parts]
      .flat()
      .flatMap((part) =>
        typeof part == 'string' ? part : /(^|put_)text$/.test(part?.type as string) ? part!.text : [],
      )
      .join(' ')
      .slice(-left)
      // The cut may go through a character, and the server refuses halves.
      .replace(/\p{Cs}/gu, '\ufffd');
    if (left && text.trim() && (role == 'user' || role == 'assistant')) {
      left -= text.length;
      // Each on its own: without prototype it has no toJSON that a page could have set, which a list of them would have.
      bodies.unshift(JSON.stringify(ownFields(messages ? { role, content: text } : { context: text })));
    }
  }
  if (!bodies[0]) throw new AdsdkError('invalid-argument', 'no text given');
  return messages ? `{"messages":[${bodies.join()}]}` : bodies[0];
}

import { MAX_TURNS } from '../../decide/conversation/max-turns.js';

/**
 * Leaves out of a match request's body, before it is checked, all but the newest `MAX_TURNS` messages, each part of a
 * message counted as one: a check of 256 KiB of them takes up to 50 ms of the event loop.
 *
 * @param body any JSON object
 */
export function newestMessages(body: object): object {
  const { messages } = body as { readonly messages?: unknown };
  if (!Array.isArray(messages)) return body;
  const newest: unknown[] = [];
  let left = MAX_TURNS;
  for (let at = messages.length - 1; at >= 0 && left > 0; at--) {
    const message: unknown = messages[at];
    newest.push(withNewestParts(message, left));
    left -= 1 + partsOf(message);
  }
  return newest.length === messages.length && left >= 0 ? body : { ...body, messages: newest.toReversed() };
}

const LISTS = ['content', 'parts'] as const;
type Lists = Readonly<Partial<Record<(typeof LISTS)[number], unknown>>>;

function partsOf(message: unknown): number {
  return listsOf(message).reduce((sum, [, parts]) => sum + parts.length, 0);
}

function withNewestParts(message: unknown, most: number): unknown {
  if (partsOf(message) <= most) return message;
  const shorter = listsOf(message).map(([name, parts]) => [name, parts.slice(-most)]);
  return { ...(message as object), ...Object.fromEntries(shorter) };
}

function listsOf(message: unknown): [name: string, parts: readonly unknown[]][] {
  if (typeof message !== 'object' || message === null) return [];
  return LISTS.flatMap((name) => {
    const parts = (message as Lists)[name];
    return Array.isArray(parts) ? [[name, parts]] : [];
  });
}

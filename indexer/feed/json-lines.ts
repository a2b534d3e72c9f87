import type { FeedEntry } from './feed-entry.js';
import { splitLines } from './lines.js';

/** Reads JSON Lines: one object a line; blank lines are passed over. */
export function readJsonLines(text: string): FeedEntry[] {
  return splitLines(text).flatMap((content, index): FeedEntry[] => {
    if (content.trim() === '') return [];
    const line = index + 1;
    const place = { line, lastLine: line };
    try {
      return [{ ...place, value: JSON.parse(content) as unknown }];
    } catch {
      return [{ ...place, fault: { field: '', message: 'is not valid JSON; expected one whole object on one line' } }];
    }
  });
}

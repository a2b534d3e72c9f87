import type { FeedEntry, FeedFault } from './feed-entry.js';
import { shortName } from './field-names.js';

/**
 * Recognizes JSON whose objects are not one per line, as JSON Lines has them: an object spread over several lines, or
 * one object around all rows. Otherwise each of its lines would be a fault.
 *
 * @param entries what the lines are as JSON Lines
 * @returns a fault that refuses the feed; null: the lines may be JSON Lines
 */
export function layoutFault(lines: readonly string[], entries: readonly FeedEntry[]): FeedFault | null {
  const [first, second] = entries;
  if (first === undefined) return null;
  const position = { line: first.line };
  if (second === undefined) {
    const list = 'value' in first ? listIn(first.value) : undefined;
    if (list === undefined) return null;
    const message = `has the rows in “${shortName(list)}”; expected them as an array, [ … ], without an object around it`;
    return { position, field: '', message };
  }
  const isSpread = beginsObject(lines, first) && !beginsObject(lines, second) && !entries.some(isObject);
  if (!isSpread) return null;
  const message = 'begins an object that goes on in the next line; expected one whole object on each line, or an array';
  return { position, field: '', message: `${message} of all rows, [ … ]` };
}

/** Returns the field of an object without an id that has a list of objects; undefined if there is none. */
function listIn(object: unknown): string | undefined {
  if (typeof object !== 'object' || object === null || 'id' in object) return undefined;
  const isListOfObjects = (value: unknown): boolean => Array.isArray(value) && typeof value[0] === 'object';
  return Object.entries(object).find(([, value]) => isListOfObjects(value))?.[0];
}

function beginsObject(lines: readonly string[], { line }: FeedEntry): boolean {
  return lines[line - 1]!.trimStart().startsWith('{');
}

function isObject(entry: FeedEntry): boolean {
  return 'value' in entry && typeof entry.value === 'object' && entry.value !== null;
}

import { inBatches } from '../../platform/time/in-batches.js';
import {
  type FeedEntries,
  type FeedEntry,
  type FeedFault,
  MAX_FAULTS,
  MAX_ROWS,
  TOO_MANY_ROWS,
  tooManyFaults,
} from './feed-entry.js';
import { countBreaks } from './feed-text.js';
import { layoutFault } from './json-layout.js';

/** Reads JSON Lines: one object per line. Skips blank lines. */
export async function readJsonLines(lines: readonly string[]): Promise<FeedEntries> {
  const entries: FeedEntry[] = [];
  if (lines.length > MAX_ROWS) {
    return { entries, fatal: [{ position: null, field: '', message: TOO_MANY_ROWS }], unknown: new Map() };
  }
  let faults = 0;
  await inBatches(lines.entries(), ([index, content]) => {
    if (content.trim() === '' || faults >= MAX_FAULTS) return;
    const line = index + 1;
    const position = { line, lastLine: line };
    try {
      entries.push({ ...position, value: parseRow(content) });
    } catch {
      const message = 'is not valid JSON; expected one whole object on one line';
      entries.push({ ...position, fault: { field: '', message, isIncomplete: true } });
      faults++;
    }
  });
  const layout = layoutFault(lines, entries);
  if (layout !== null) return { entries: [], fatal: [layout], unknown: new Map() };
  return { entries, fatal: faults < MAX_FAULTS ? [] : [tooManyFaults(entries.at(-1)!)], unknown: new Map() };
}

/**
 * Reads a JSON array. Splits it into elements first and parses them one by one, so that a fault has a line and the
 * other rows are still read.
 */
export async function readJsonArray(text: string): Promise<FeedEntries> {
  const entries: FeedEntry[] = [];
  let line = 1;
  let counted = 0;
  const lineAt = (offset: number): number => {
    line += countBreaks(text, counted, offset);
    counted = offset;
    return line;
  };
  const cut = cutElements(text);
  await inBatches(cut.elements.entries(), ([index, [from, to]]) => {
    const element = text.slice(from, to).trimStart();
    const line = lineAt(to - element.length);
    entries.push({ row: index + 1, ...parseElement(element, line, lineAt(to)) });
  });
  // Refuses the feed: of an array that is cut short, --skip-invalid would publish what has arrived.
  const fatal: FeedFault[] = [];
  if (cut.fault !== undefined) {
    fatal.push({ position: { line: lineAt(cut.fault.offset) }, field: '', message: cut.fault.message });
  }
  return { entries, fatal, unknown: new Map() };
}

interface Cut {
  readonly elements: readonly (readonly [from: number, to: number])[];
  readonly fault?: { readonly offset: number; readonly message: string };
}

/** Finds the elements between the outer brackets by depth, skipping strings. */
function cutElements(text: string): Cut {
  const elements: [number, number][] = [];
  let from = text.indexOf('[') + 1;
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') at = stringEnd(text, at);
    else if (char === '{' || char === '[') depth++;
    else if (depth > 0 && (char === '}' || char === ']')) depth--;
    else if (depth === 0 && char === ',') {
      elements.push([from, at]);
      from = at + 1;
      if (elements.length > MAX_ROWS) return { elements: [], fault: { offset: at, message: TOO_MANY_ROWS } };
    } else if (depth === 0 && char === ']') {
      if (elements.length > 0 || text.slice(from, at).trim() !== '') elements.push([from, at]);
      const rest = text.slice(at + 1);
      if (rest.trim() === '') return { elements };
      const offset = at + 1 + rest.search(/\S/);
      return { elements, fault: { offset, message: 'follows the end of the array; expected nothing more' } };
    }
  }
  if (text.slice(from).trim() !== '') elements.push([from, text.length]);
  return {
    elements,
    fault: { offset: text.length, message: 'the array does not end; the file seems to be cut short' },
  };
}

/**
 * Returns the offset of the closing quote, or of the line's end: a JSON string has no line break, so an unclosed one
 * ends there.
 */
function stringEnd(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    const char = text[at];
    if (char === '\\') at++;
    else if (char === '"' || char === '\n') return at;
  }
  return text.length;
}

function parseElement(element: string, line: number, lastLine: number): FeedEntry {
  try {
    return { line, lastLine, value: parseRow(element) };
  } catch (error) {
    const message = element.trim() === '' ? 'is empty; expected an object between the commas' : 'is not valid JSON';
    const offset = Number(/at position (\d+)/.exec(String(error))?.[1] ?? 0);
    const at = line + countBreaks(element, 0, offset);
    return { line: at, lastLine, fault: { field: '', message } };
  }
}

/**
 * Parses one row. Micros with a decimal point or an exponent become text, as in CSV, so that the check reports them:
 * 2.00 was meant as units, but would be 2 micros.
 */
function parseRow(text: string): unknown {
  return JSON.parse(text.replaceAll(MICROS_WITH_DECIMALS, '$1"$2"'));
}

// Only a key has a closing quote before a colon; an escaped quote is inside a text.
const MICROS_WITH_DECIMALS = /(?<!\\)("(?:micros|budgetMicros|dailyBudgetMicros)"\s*:\s*)(-?\d+(?=[.eE])[\d.eE+-]*)/g;

import { parse } from 'csv-parse/sync';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Delimiter, headerFaults, readHeader } from './csv-header.js';
import { rowFromCells } from './csv-row.js';
import { type FeedEntries, type FeedEntry, MAX_FAULTS, MAX_ROWS, TOO_MANY_ROWS, tooManyFaults } from './feed-entry.js';
import { COLUMNS, keyOf } from './field-names.js';

/** A longer record is taken for one without its closing quote. */
const MAX_RECORD_CHARACTERS = 64 * 1024;
/** Records between two turns of the event loop. */
const RECORDS_AT_ONCE = 1000;

interface CsvRecord {
  readonly line: number;
  readonly lastLine: number;
  /** Null: not valid CSV. */
  readonly cells: readonly string[] | null;
}

/**
 * Reads CSV with double quotes and a header row, whose cells are separated by commas, semicolons or tabs. Splits the
 * records first and parses them one by one, so that a stray quote damages its own line and not the rest of the file.
 * This takes about 30 µs per record, so it yields to the event loop regularly: if the catalogue's lock is not kept
 * fresh, a second indexer takes it over.
 *
 * @param mapped keys of the columns that a mapping reads: rows have all columns then, as texts, and what is missing is
 * for the mapping to find; absent: the columns are those of a feed
 * @param fixed fields that every row gets later
 */
export async function readCsv(
  lines: readonly string[],
  mapped?: ReadonlySet<string>,
  fixed: ReadonlySet<string> = new Set(),
): Promise<FeedEntries> {
  const isAbove = (line: string): boolean => EXCEL_DELIMITER.test(line) || (mapped !== undefined && NOTE.test(line));
  const first = lines.findIndex((line) => line.trim() !== '' && !isAbove(line));
  if (first === -1) return { entries: [], fatal: [], unknown: new Map() };
  const end = recordEnd(lines, first) ?? first;
  const header = lines.slice(first, end + 1).join('\n');
  const isKnown = (column: string): boolean => mapped?.has(keyOf(column)) ?? COLUMNS.has(column);
  const { columns, delimiter } = readHeader(isKnown, (each) => parseRecord(header, each));
  const fatal = mapped === undefined ? headerFaults(columns, { line: first + 1 }, fixed) : [];
  if (fatal.length > 0) return { entries: [], fatal, unknown: new Map() };
  const unknown = new Map<string, { rows: number; line: number }>();
  const entries: FeedEntry[] = [];
  let faults = 0;
  for (const record of cutRecords(lines, end + 1, delimiter)) {
    if (entries.length % RECORDS_AT_ONCE === RECORDS_AT_ONCE - 1) await nextTurn();
    const entry = toEntry(record, columns, mapped === undefined ? rowFromCells : textsOf);
    if (entries.length === MAX_ROWS) {
      return { entries: [], fatal: [{ position: { line: record.line }, field: '', message: TOO_MANY_ROWS }], unknown };
    }
    entries.push(entry);
    if ('fault' in entry && ++faults === MAX_FAULTS) return { entries, fatal: [tooManyFaults(entry)], unknown };
    if (mapped !== undefined) continue;
    for (const [at, cell] of (record.cells ?? []).entries()) {
      const column = columns[at];
      if (column === undefined || COLUMNS.has(column) || cell.trim() === '') continue;
      const known = unknown.get(column);
      unknown.set(column, { rows: (known?.rows ?? 0) + 1, line: known?.line ?? record.line });
    }
  }
  return { entries, fatal: [], unknown };
}

/** A first line such as `sep=;`, by which Excel is told the delimiter. */
const EXCEL_DELIMITER = /^\ufeff?"?sep=.?"?$/i;

/** A line above the header row, as in Meta's template. */
const NOTE = /^\ufeff?"?#/;

type ToRow = (columns: readonly string[], cells: readonly string[]) => Readonly<Record<string, unknown>>;

/** Returns the row with all of its columns, as texts; of columns with one name, the first that has a value. */
function textsOf(columns: readonly string[], cells: readonly string[]): Record<string, string> {
  const row = Object.create(null) as Record<string, string>;
  for (const [at, column] of columns.entries()) row[column] ||= cells[at] ?? '';
  return row;
}

function toEntry({ line, lastLine, cells }: CsvRecord, columns: readonly string[], toRow: ToRow): FeedEntry {
  if (cells === null) {
    const message = 'is not valid CSV: a double quote is not closed, or stands within a cell without being doubled';
    return { line, lastLine, fault: { field: '', message, isIncomplete: true } };
  }
  if (cells.length !== columns.length) {
    const message = `has ${cells.length} cells; expected ${columns.length}, as in the header row`;
    const isIncomplete = cells.length < columns.length && { isIncomplete: true as const };
    return { line, lastLine, fault: { field: '', message, ...isIncomplete } };
  }
  return { line, lastLine, value: toRow(columns, cells) };
}

function* cutRecords(lines: readonly string[], from: number, delimiter: Delimiter): Generator<CsvRecord> {
  for (let at = from; at < lines.length; at++) {
    if (lines[at]!.trim() === '') continue;
    const { end, cells } = recordAt(lines, at, delimiter);
    // Excel writes rows that were emptied, down to the last one that ever had a value.
    const isEmpty = cells?.every((cell) => cell === '') ?? false;
    if (!isEmpty) yield { line: at + 1, lastLine: end + 1, cells };
    at = end;
  }
}

/** In tab-separated exports a quote within a cell is often meant as inches, and is not doubled. */
const QUOTED_CELL = /(?:^|\t) *"/;

/** Returns the record at a line, and its last line. One that cannot be parsed costs only its first line. */
function recordAt(
  lines: readonly string[],
  at: number,
  delimiter: Delimiter,
): Pick<CsvRecord, 'cells'> & { end: number } {
  const line = lines[at]!;
  if (delimiter === '\t' && !QUOTED_CELL.test(line))
    return { end: at, cells: line.split('\t').map((cell) => cell.trim()) };
  const end = recordEnd(lines, at);
  const cells = end === null ? null : parseRecord(lines.slice(at, end + 1).join('\n'), delimiter);
  return { end: cells === null ? at : end!, cells };
}

/** Returns the line on which every quote is closed; null if there is none. */
function recordEnd(lines: readonly string[], from: number): number | null {
  let open = false;
  let length = 0;
  for (let at = from; at < lines.length && length <= MAX_RECORD_CHARACTERS; at++) {
    const quotes = lines[at]!.split('"').length - 1;
    if (quotes % 2 === 1) open = !open;
    if (!open) return at;
    length += lines[at]!.length + 1;
  }
  return null;
}

function parseRecord(record: string, delimiter: Delimiter): string[] | null {
  try {
    return parse(record, { delimiter, trim: true, record_delimiter: RECORD_END })[0] ?? [];
  } catch {
    return null;
  }
}

/** The record is already split off: a line break in it belongs to a quoted cell. */
const RECORD_END = '\u0000\n';

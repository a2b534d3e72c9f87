import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FeedEntries, FeedEntry, FeedFault } from './feed-entry.js';
import { foreignFormat, XML } from './foreign-format.js';
import { readCsv } from './csv.js';
import { readJsonArray, readJsonLines } from './json-feed.js';
import { feedLines, feedText, linesNotUtf8 } from './feed-text.js';
import { readXml } from './xml-feed.js';

/** A larger JSON array does not fit into one string. */
const MAX_ARRAY_BYTES = 400 * 1024 * 1024;

/** A parsed feed: its entries line by line, and the SHA-256 of its bytes. */
export interface Feed extends FeedEntries {
  readonly format: 'JSON Lines' | 'JSON array' | 'CSV' | 'XML';
  readonly digest: string;
}

/**
 * Reads a feed. `.csv` and `.tsv` are CSV, `.jsonl` and `.ndjson` are JSON Lines. The first character decides the format
 * of any other file: `[` a JSON array, `{` JSON Lines, anything else CSV, or JSON Lines for `.json`. Max 2 GiB, for a
 * JSON array 400 MB.
 *
 * @param columns keys of the columns that a mapping reads: the rows are as the file has them, and it may be XML; absent:
 * the feed has the fields that FEED.md names
 * @param fixed fields that every row gets later, so that a table may lack their columns
 * @throws Error if the file cannot be read, or is clearly no feed
 */
export async function readFeed(
  file: string,
  columns?: ReadonlySet<string>,
  fixed?: ReadonlySet<string>,
): Promise<Feed> {
  const bytes = await readFile(file);
  const foreign = foreignFormat(bytes);
  const isXml = foreign === XML && columns !== undefined;
  if (foreign !== null && !isXml) throw new Error(`it is ${foreign}`);
  const format = isXml ? 'XML' : formatOf(file, bytes);
  if (format === 'JSON array' && bytes.length > MAX_ARRAY_BYTES)
    throw new Error('a JSON array may have at most 400 MB; use JSON Lines, an object on each line');
  const digest = await digestOf(bytes);
  const notUtf8 = await linesNotUtf8(bytes);
  const { entries, fatal, unknown } = await readers[format](bytes, columns, fixed);
  return {
    format,
    digest,
    fatal: [...fatal, ...cutShort(entries, bytes)],
    unknown,
    entries: entries.map((entry) => withBadLines(entry, notUtf8)),
  };
}

type Reader = (bytes: Buffer, columns?: ReadonlySet<string>, fixed?: ReadonlySet<string>) => Promise<FeedEntries>;

const readers: Record<Feed['format'], Reader> = {
  'JSON Lines': async (bytes) => readJsonLines(await feedLines(bytes)),
  'JSON array': (bytes) => readJsonArray(feedText(bytes)),
  CSV: async (bytes, columns, fixed) => readCsv(await feedLines(bytes), columns, fixed),
  XML: async (bytes) => readXml(await feedLines(bytes)),
};

/** Refuses a file that ends within its last row: --skip-invalid would publish what has arrived of it. */
function cutShort(entries: readonly FeedEntry[], bytes: Buffer): FeedFault[] {
  const last = entries.at(-1);
  if (last === undefined || !('fault' in last) || last.fault.isIncomplete !== true || endsALine(bytes)) return [];
  const message = 'the file ends in this row, without a line break, and seems to be cut short; fetch it again';
  return [{ position: { line: last.line }, field: '', message }];
}

function endsALine(bytes: Buffer): boolean {
  const end = bytes.at(-1);
  return end === 10 || end === 13;
}

/** The first character of a feed must be within this many bytes. */
const BEGINNING_BYTES = 65_536;

function formatOf(file: string, bytes: Buffer): Feed['format'] {
  const extension = path.extname(file).toLowerCase();
  if (extension === '.csv' || extension === '.tsv') return 'CSV';
  if (extension === '.jsonl' || extension === '.ndjson') return 'JSON Lines';
  const first = feedText(bytes.subarray(0, BEGINNING_BYTES)).trimStart()[0];
  if (first === '[') return 'JSON array';
  return first === '{' || extension === '.json' ? 'JSON Lines' : 'CSV';
}

const DIGESTED_AT_ONCE = 32 * 1024 * 1024;

async function digestOf(bytes: Buffer): Promise<string> {
  const hash = createHash('sha256');
  for (let from = 0; from < bytes.length; from += DIGESTED_AT_ONCE) {
    hash.update(bytes.subarray(from, from + DIGESTED_AT_ONCE));
    await nextTurn();
  }
  return hash.digest('hex');
}

const NOT_UTF8 = 'is not valid UTF-8; save the feed as UTF-8 (in Excel: “CSV UTF-8”)';

function withBadLines(entry: FeedEntry, badLines: ReadonlySet<number>): FeedEntry {
  for (let line = entry.line; badLines.size > 0 && line <= entry.lastLine; line++) {
    if (badLines.has(line)) {
      return {
        ...entry,
        line,
        fault: { field: '', message: NOT_UTF8 },
      };
    }
  }
  return entry;
}

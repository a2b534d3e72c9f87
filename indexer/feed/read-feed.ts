import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FeedEntries, FeedEntry } from './feed-entry.js';
import { readCsv } from './csv.js';
import { readJsonArray, readJsonLines } from './json-feed.js';
import { decodeFeed } from './feed-text.js';

/** Beyond this a feed does not fit into one string. */
const MAX_FEED_BYTES = 400 * 1024 * 1024;

/** A feed as it was read: what stands in it, line by line, and the SHA-256 of its bytes. */
export interface Feed extends FeedEntries {
  readonly format: 'JSON Lines' | 'JSON array' | 'CSV';
  readonly digest: string;
}

/**
 * Reads a feed: `.csv` is CSV; the format of anything else follows from its first character (`[` a JSON array, `{` JSON Lines,
 * otherwise CSV).
 *
 * @throws Error when the file cannot be read
 */
export async function readFeed(file: string): Promise<Feed> {
  const bytes = await readFile(file);
  if (bytes.length > MAX_FEED_BYTES)
    throw new Error(`${file} is larger than 400 MB; use several installations or a smaller feed`);
  const { text, badLines } = decodeFeed(bytes);
  const digest = createHash('sha256').update(bytes).digest('hex');
  const format = formatOf(file, text);
  const { entries, fatal, unknown } = await readers[format](text);
  return { format, digest, fatal, unknown, entries: entries.map((entry) => withBadLines(entry, badLines)) };
}

const noneUnknown: FeedEntries['unknown'] = new Map();
const readers: Record<Feed['format'], (text: string) => FeedEntries | Promise<FeedEntries>> = {
  'JSON Lines': (text) => ({ entries: readJsonLines(text), fatal: [], unknown: noneUnknown }),
  'JSON array': (text) => ({ entries: readJsonArray(text), fatal: [], unknown: noneUnknown }),
  CSV: readCsv,
};

function formatOf(file: string, text: string): Feed['format'] {
  const extension = path.extname(file).toLowerCase();
  if (extension === '.csv') return 'CSV';
  if (extension === '.jsonl' || extension === '.ndjson') return 'JSON Lines';
  const first = text.trimStart()[0];
  if (first === '[') return 'JSON array';
  return first === '{' || extension === '.json' ? 'JSON Lines' : 'CSV';
}

function withBadLines(entry: FeedEntry, badLines: ReadonlySet<number>): FeedEntry {
  for (let line = entry.line; badLines.size > 0 && line <= entry.lastLine; line++) {
    if (badLines.has(line)) {
      return {
        ...entry,
        line,
        fault: { field: '', message: 'is not valid UTF-8; save the feed as UTF-8' },
      };
    }
  }
  return entry;
}

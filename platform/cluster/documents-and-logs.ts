import { createHash } from 'node:crypto';
import { sha256 } from '../text/sha256.js';
import type { Cluster } from './cluster.js';
import { appendWithin } from './logs.js';
import { inTransaction } from './transaction.js';

/** Documents and logs by name. */
export interface DocumentsAndLogs {
  readonly documents: ReadonlyMap<string, string>;
  /** The logs' lines, without newlines. */
  readonly logs: ReadonlyMap<string, readonly string[]>;
}

/** The size of a text, and the SHA-256 of its bytes. */
export interface TextMeasure {
  readonly bytes: number;
  readonly sha256: string;
}

/** Number of log lines per addition. */
const LINES = 1000;

/** Replaces whatever an earlier attempt left with all documents and logs of an installation, in one transaction. */
export async function replaceParts(
  { pool }: Pick<Cluster, 'pool'>,
  { documents, logs }: DocumentsAndLogs,
): Promise<void> {
  await inTransaction(pool, async (transaction) => {
    await transaction.query('delete from shared_log_entries');
    await transaction.query("delete from shared_parts where kind <> 'list'");
    for (const document of documents) {
      await transaction.query("insert into shared_parts (name, kind, content) values ($1, 'document', $2)", [
        ...document,
      ]);
    }
    for (const [log, lines] of logs) {
      for (let at = 0; at < lines.length; at += LINES) {
        await appendWithin(transaction, log, lines.slice(at, at + LINES));
      }
    }
  });
}

/** Returns size and digest of each document and log in the database, by name. */
export async function measureParts({ pool }: Pick<Cluster, 'pool'>): Promise<ReadonlyMap<string, TextMeasure>> {
  const { rows } = await pool.query<{ name: string; kind: string; content: string | null; bytes: string }>(
    "select name, kind, content, bytes from shared_parts where kind <> 'list'",
  );
  const measured = new Map<string, TextMeasure>();
  for (const { name, kind, content, bytes } of rows) {
    if (kind === 'log') measured.set(name, { bytes: Number(bytes), sha256: await digestOfLog(pool, name) });
    else if (content !== null) measured.set(name, measureText(content));
  }
  return measured;
}

export function measureText(text: string | Uint8Array): TextMeasure {
  return { bytes: Buffer.byteLength(text), sha256: sha256(text) };
}

/** Reads the entries by their byte offsets, in the order in which a copy has them. */
async function digestOfLog(pool: Cluster['pool'], log: string): Promise<string> {
  const hash = createHash('sha256');
  for (let size = 0; ;) {
    const { rows } = await pool.query<{ text: string }>(
      'select text from shared_log_entries where log = $1 and begins_at = $2',
      [log, size],
    );
    if (rows[0] === undefined) return hash.digest('hex');
    hash.update(rows[0].text);
    size += Buffer.byteLength(rows[0].text);
  }
}

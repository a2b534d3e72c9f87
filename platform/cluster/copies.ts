import { type BigIntStats, constants, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { replaceDurably } from '../files/durable.js';
import { InRecoveryError, isDatabaseUnreachable } from './database-unreachable.js';

/**
 * Documents that name other files and must be copied after them. The code that fetches those files copies these
 * documents.
 */
export type LeftOut = ReadonlySet<string>;

/** A document that was read from the database, while its copy cannot be written. */
export interface Unwritten {
  readonly version: string;
  readonly content: string;
}

/** A node's copies of documents and logs. */
export interface Copies {
  /**
   * Writes each copy that differs from the database; one that fails does not prevent the others.
   *
   * @throws Error when the database does not respond or is in recovery; otherwise, after trying all copies, the first
   *   write error, for example from a full disk
   */
  bringUpToDate(): Promise<void>;
  /** Returns a document whose copy is older than what was read; undefined: the file is up to date. */
  unwritten(name: string): Unwritten | undefined;
}

interface Part {
  readonly name: string;
  readonly kind: 'document' | 'log' | 'list';
  readonly version: string;
  readonly bytes: string;
}

/**
 * The version that was copied (it may be newer than the one seen) and the state of the file as written, even if it has
 * changed since.
 */
interface Copied {
  readonly version: string;
  readonly written: BigIntStats | undefined;
}

/**
 * Copies into DATA_DIR each part whose version has changed since the last call, and each whose copy was edited or
 * replaced.
 */
export function createCopies(pool: pg.Pool, dataDir: string, leftOut: LeftOut): Copies {
  /** The state of each copy when it was last written, by name. */
  const copied = new Map<string, string>();
  const unwritten = new Map<string, Unwritten>();
  return {
    async bringUpToDate() {
      const faults: unknown[] = [];
      for (const part of await readParts(pool)) {
        if (part.kind === 'list' || leftOut.has(part.name)) continue;
        const file = path.join(dataDir, part.name);
        try {
          if (copied.get(part.name) === stateOf({ version: part.version, written: look(file) })) continue;
          copied.set(
            part.name,
            stateOf(
              part.kind === 'log' ? await copyLog(pool, part, file) : await copyDocument(pool, part, file, unwritten),
            ),
          );
        } catch (error) {
          // The other parts would fail too.
          if (isDatabaseUnreachable(error)) throw error;
          faults.push(error);
        }
      }
      if (faults.length > 0) throw faults[0];
    },
    unwritten: (name) => unwritten.get(name),
  };
}

/**
 * Lists the parts to copy. If the server is in recovery, the connection is closed: the next one may reach the server
 * that took over.
 */
async function readParts(pool: pg.Pool): Promise<readonly Part[]> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // The query fails with this error; without a listener, the event would end the process.
  const onLost = (error: Error): void => void (broken ??= error);
  client.on('error', onLost);
  try {
    const { rows } = await client.query<Part & { readonly recovering: boolean }>(
      'select name, kind, version, bytes, pg_is_in_recovery() as recovering from shared_parts',
    );
    if (rows[0]?.recovering === true) throw new InRecoveryError();
    return rows;
  } catch (error) {
    broken ??= error as Error;
    throw error;
  } finally {
    client.off('error', onLost);
    client.release(broken);
  }
}

/** Changes whenever the file is replaced or edited in place. */
function stateOf({ version, written }: Copied): string {
  return `${version} ${written === undefined ? 'absent' : `${written.mtimeNs}:${written.size}:${written.ino}`}`;
}

function look(file: string): BigIntStats | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false });
}

async function copyDocument(
  pool: pg.Pool,
  { name, version: seen }: Part,
  file: string,
  unwritten: Map<string, Unwritten>,
): Promise<Copied> {
  const { rows } = await pool.query<{ content: string | null; version: string }>(
    'select content, version from shared_parts where name = $1',
    [name],
  );
  const { content = null, version = seen } = rows[0] ?? {};
  // Another process may be about to put older content in the same place. The state written here lets the next call
  // detect that.
  if (content === null) return { version, written: look(file) };
  // Until the copy is in place, or if it cannot be written.
  unwritten.set(name, { version, content });
  const written = await replaceDurably(file, content, 0o600);
  unwritten.delete(name);
  return { version, written };
}

const ENTRIES = 500;

/**
 * Writes all of `bytes`. On an almost full disk, a write can be partial without an error; the write of the rest then
 * fails.
 */
async function writeWhole(handle: FileHandle, bytes: Buffer, offset: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, offset + written);
    written += bytesWritten;
  }
}

/**
 * Writes the entries that the file lacks, each at its own byte offset. Several processes that do this at once, or one
 * killed halfway, therefore produce the same file.
 */
async function copyLog(pool: pg.Pool, { name, version, bytes }: Part, file: string): Promise<Copied> {
  // Not in append mode: Linux would ignore the write position.
  const handle = await open(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    for (let size = (await handle.stat()).size; size < Number(bytes);) {
      const { rows } = await pool.query<{ begins_at: string; text: string }>(
        `select begins_at, text from shared_log_entries where log = $1 and begins_at >=
           (select max(begins_at) from shared_log_entries where log = $1 and begins_at <= $2)
         order by begins_at limit ${ENTRIES}`,
        [name, size],
      );
      for (const { begins_at: offset, text } of rows) {
        await writeWhole(handle, Buffer.from(text), Number(offset));
        size = Number(offset) + Buffer.byteLength(text);
      }
      if (rows.length === 0) break;
    }
    await handle.datasync();
    return { version, written: await handle.stat({ bigint: true }) };
  } finally {
    await handle.close();
  }
}

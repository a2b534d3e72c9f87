import { type BigIntStats, constants, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { replaceDurably } from '../files/durable.js';
import { InRecoveryError, isDatabaseAway } from './database-away.js';

/** Documents that name what must be there before they are copied; whoever fetches that copies them. */
export type LeftOut = ReadonlySet<string>;

/** A node's copies of documents and logs. */
export interface Copies {
  /**
   * Writes those that differ from the database, each whatever becomes of the others.
   *
   * @throws Error when the database does not answer or is in recovery; else the first of what kept one from being written, as a
   *   full disk does, after the others
   */
  bringUpToDate(): Promise<void>;
}

interface Part {
  readonly name: string;
  readonly kind: 'document' | 'log' | 'list';
  readonly version: string;
  readonly bytes: string;
}

/** What was copied: its version, which may be a newer one, and the state of what was written, whatever lies there by now. */
interface Copied {
  readonly version: string;
  readonly written: BigIntStats | undefined;
}

/** Copies into DATA_DIR what has another version than at the last look, and what somebody edited there: it is not his to change. */
export function createCopies(pool: pg.Pool, dataDir: string, leftOut: LeftOut): Copies {
  /** What was copied last, by name: version, and the state of the file since. */
  const copied = new Map<string, string>();
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
            stateOf(part.kind === 'log' ? await copyLog(pool, part, file) : await copyDocument(pool, part, file)),
          );
        } catch (error) {
          // The others would wait in vain, too.
          if (isDatabaseAway(error)) throw error;
          faults.push(error);
        }
      }
      if (faults.length > 0) throw faults[0];
    },
  };
}

/** What there is to copy. A connection that leads to a server in recovery is ended: the next may lead to the one that took over. */
async function readParts(pool: pg.Pool): Promise<readonly Part[]> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // The query fails by it; without a listener it would end the process.
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

async function copyDocument(pool: pg.Pool, { name, version: seen }: Part, file: string): Promise<Copied> {
  const { rows } = await pool.query<{ content: string | null; version: string }>(
    'select content, version from shared_parts where name = $1',
    [name],
  );
  const { content = null, version = seen } = rows[0] ?? {};
  // Another process may have an older content on its way to the same place: what it puts there must be seen as another.
  const written = content === null ? look(file) : await replaceDurably(file, content, 0o600);
  return { version, written };
}

const ENTRIES = 500;

/** A disk that is nearly full takes a part without an error: the rest is asked for again, and then fails. */
async function writeWhole(handle: FileHandle, bytes: Buffer, place: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, place + written);
    written += bytesWritten;
  }
}

/**
 * Writes what the file lacks, each entry at its own byte: a process that does the same at the same time, or was killed in the
 * middle, leaves the same file.
 */
async function copyLog(pool: pg.Pool, { name, version, bytes }: Part, file: string): Promise<Copied> {
  // Not for appending: Linux would ignore the place to write at.
  const handle = await open(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    for (let size = (await handle.stat()).size; size < Number(bytes);) {
      const { rows } = await pool.query<{ begins_at: string; text: string }>(
        `select begins_at, text from shared_log_entries where log = $1 and begins_at >=
           (select max(begins_at) from shared_log_entries where log = $1 and begins_at <= $2)
         order by begins_at limit ${ENTRIES}`,
        [name, size],
      );
      for (const { begins_at: place, text } of rows) {
        await writeWhole(handle, Buffer.from(text), Number(place));
        size = Number(place) + Buffer.byteLength(text);
      }
      if (rows.length === 0) break;
    }
    await handle.datasync();
    return { version, written: await handle.stat({ bigint: true }) };
  } finally {
    await handle.close();
  }
}

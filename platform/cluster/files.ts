import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Cluster } from './cluster.js';
import { announce, inTransaction, type Transaction } from './transaction.js';

/** An immutable file that all nodes have: a snapshot file or an image. */
export interface SharedFile {
  /** Relative to DATA_DIR, with slashes. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

const CHUNK_BYTES = 1 << 20;

/**
 * Shares files of this node's DATA_DIR. Other nodes see all of them at once, when all bytes are stored. Files that are
 * already shared are not sent again.
 *
 * @param paths relative to DATA_DIR
 * @throws Error when a file cannot be read, or the database does not store it
 */
export async function shareFiles(cluster: Cluster, paths: readonly string[]): Promise<void> {
  const known = new Set((await sharedFiles(cluster)).map((file) => file.path));
  const fresh: SharedFile[] = [];
  for (const each of paths.filter((one) => !known.has(one))) fresh.push(await send(cluster, each));
  if (fresh.length === 0) return;
  await inTransaction(cluster.pool, async (transaction) => {
    // Locks the list of files, so that chunks present now are not removed before the files are listed.
    await announce(transaction, 'files');
    await requireChunks(transaction, fresh);
    await transaction.query(
      'insert into shared_files select * from unnest($1::text[], $2::text[], $3::bigint[]) on conflict do nothing',
      [fresh.map((file) => file.path), fresh.map(({ sha256 }) => sha256), fresh.map(({ bytes }) => bytes)],
    );
  });
}

/** Lists the shared files below a folder of DATA_DIR. */
export async function sharedFiles({ pool }: Pick<Cluster, 'pool'>, below = ''): Promise<readonly SharedFile[]> {
  const { rows } = await pool.query<SharedRow>(
    'select path, sha256, bytes from shared_files where starts_with(path, $1) order by path',
    [below],
  );
  return rows.map(asShared);
}

/** Returns those of the given files that are shared, by their paths relative to DATA_DIR. */
export async function sharedOf(
  { pool }: Pick<Cluster, 'pool'>,
  paths: readonly string[],
): Promise<readonly SharedFile[]> {
  const { rows } = await pool.query<SharedRow>(
    'select path, sha256, bytes from shared_files where path = any($1) order by path',
    [paths],
  );
  return rows.map(asShared);
}

/** Stops sharing files and removes chunks that no other file needs. Nodes remove their copies. */
export async function unshareFiles(cluster: Cluster, paths: readonly string[]): Promise<void> {
  if (paths.length > 0)
    await inTransaction(cluster.pool, async (transaction) => {
      await announce(transaction, 'files');
      await transaction.query('delete from shared_files where path = any($1)', [paths]);
    });
  // Also removes chunks left by killed writers.
  while ((await removeChunks(cluster)) === CHUNKS_AT_ONCE);
}

/**
 * Chunks of 1 MiB each. A statement may take half a minute, and a snapshot of half a million creatives has thousands of
 * chunks.
 */
const CHUNKS_AT_ONCE = 200;

/** Removes some of the chunks that no file needs. @returns how many */
async function removeChunks({ pool }: Cluster): Promise<number> {
  return inTransaction(pool, async (transaction) => {
    // Locks the list without announcing a change, so that no file that needs these chunks is listed in the meantime.
    await transaction.query("select 1 from shared_parts where name = 'files' for update");
    const { rowCount } = await transaction.query(
      `delete from shared_chunks where (sha256, place) in (
         select sha256, place from shared_chunks
          where not exists (select 1 from shared_files where shared_files.sha256 = shared_chunks.sha256) limit $1)`,
      [CHUNKS_AT_ONCE],
    );
    return rowCount ?? 0;
  });
}

/**
 * Fetches a shared file to a path that does not exist yet.
 *
 * @throws Error when the received bytes are not the shared ones
 */
export async function fetchFile(cluster: Pick<Cluster, 'pool'>, file: SharedFile, target: string): Promise<void> {
  // `handle.writeFile` continues where the last write ended and writes everything, even if an almost full disk makes
  // single writes partial.
  const handle = await open(target, 'wx');
  let sha256: string;
  try {
    sha256 = await readSharedFile(cluster, file, (content) => handle.writeFile(content));
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (sha256 === file.sha256) return;
  throw new Error(`${file.path} arrived damaged or incomplete from the database: its SHA-256 does not match`);
}

/** Reads the stored content of a file chunk by chunk. @returns the SHA-256 of that content */
export async function readSharedFile(
  { pool }: Pick<Cluster, 'pool'>,
  file: SharedFile,
  use: (content: Buffer) => Promise<unknown>,
): Promise<string> {
  const hash = createHash('sha256');
  for (let place = 0; place * CHUNK_BYTES < file.bytes; place++) {
    const { rows } = await pool.query<{ content: Buffer }>(
      'select content from shared_chunks where sha256 = $1 and place = $2',
      [file.sha256, place],
    );
    const content = rows[0]?.content;
    if (content === undefined) break;
    hash.update(content);
    await use(content);
  }
  return hash.digest('hex');
}

interface SharedRow {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: string;
}

const asShared = ({ bytes, ...row }: SharedRow): SharedFile => ({ ...row, bytes: Number(bytes) });

async function send({ dataDir, pool }: Cluster, name: string): Promise<SharedFile> {
  const { sha256, bytes } = await readChunks(path.join(dataDir, name), async () => undefined);
  await readChunks(path.join(dataDir, name), async (content, place) => {
    await pool.query('insert into shared_chunks values ($1, $2, $3) on conflict do nothing', [sha256, place, content]);
  });
  return { path: name, sha256, bytes };
}

/**
 * Checks that all chunks are present: another writer may have removed unlisted chunks if this one lost the catalogue
 * lock.
 */
async function requireChunks(transaction: Transaction, files: readonly SharedFile[]): Promise<void> {
  const { rows } = await transaction.query<{ sha256: string; chunks: string }>(
    'select sha256, count(*) as chunks from shared_chunks where sha256 = any($1) group by sha256',
    [files.map(({ sha256 }) => sha256)],
  );
  const there = new Map(rows.map(({ sha256, chunks }) => [sha256, Number(chunks)]));
  const short = files.find(({ sha256, bytes }) => (there.get(sha256) ?? 0) < Math.ceil(bytes / CHUNK_BYTES));
  if (short === undefined) return;
  throw new Error(`${short.path} is incomplete in the database; nothing was shared: run the same command again`);
}

async function readChunks(file: string, use: (chunk: Buffer, place: number) => Promise<void>) {
  const hash = createHash('sha256');
  const handle = await open(file, 'r');
  try {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (let place = 0, bytes = 0; ; place++) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES);
      if (bytesRead === 0) return { sha256: hash.digest('hex'), bytes };
      const chunk = buffer.subarray(0, bytesRead);
      hash.update(chunk);
      await use(chunk, place);
      bytes += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

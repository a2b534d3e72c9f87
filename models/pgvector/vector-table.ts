import { open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';
import { ADJACENT_LOCKS, LOCKS } from '../../platform/postgres/locks.js';
import type { Creative } from '../schema/creative.js';
import { languageKey } from '../text/language-tag.js';
import type { Pgvector } from './extension.js';
import { vectorBytes } from './vector-bytes.js';

/** The vectors of one snapshot from one encoder. */
export interface VectorPart {
  /** The snapshot's id. */
  readonly snapshot: string;
  /** Name of the encoder within the snapshot: one word. */
  readonly part: string;
  /** Unit vectors, row-major: label × dims, little-endian. */
  readonly file: string;
  readonly dims: number;
  /** By label. */
  readonly creatives: readonly Creative[];
}

/** Up to this many creatives a full scan is exact and as fast as an index. */
const INDEX_ABOVE = 500;
/** As in memory (`models/index/graph.ts`). */
const LINKS = 16;
const BUILD_WIDTH = 200;
/** Building a graph that does not fit into memory is many times slower. An operator may configure more. */
const BUILD_MEMORY = `select set_config('maintenance_work_mem',
  greatest(pg_size_bytes(current_setting('maintenance_work_mem')), pg_size_bytes('256MB')) / 1024 || 'kB', true)`;
/** Rows per statement. */
const BATCH = 200;
const WRITE_LOCK = [ADJACENT_LOCKS, LOCKS.vectors];
const LOCK_RETRY_MS = 250;

/** Returns whether a part of this many creatives has an index. Without one, a search compares all of them. */
export function isIndexed(creatives: number): boolean {
  return creatives > INDEX_ABOVE;
}

/**
 * Returns the name of a part's table, which needs no quotes. It depends on the vector type, since an upgraded pgvector
 * may use another, and on the columns: the `2` stands for the current ones, so that older nodes keep tables of their own.
 */
export function tableOf(
  { snapshot, part }: Pick<VectorPart, 'snapshot' | 'part'>,
  { halfPrecision }: Pick<Pgvector, 'halfPrecision'>,
): string {
  return `vectors_2_${snapshot}_${part}${halfPrecision ? '' : '_full'}`.replace(/[^a-z0-9_]/g, '_');
}

/** Returns the SQL type of a part's vectors. */
export function typeOf({ halfPrecision, schema }: Pgvector, dims: number): string {
  return `${schema}.${halfPrecision ? 'halfvec' : 'vector'}(${dims})`;
}

/**
 * Writes a part's table with its index, unless it exists. Of several processes one writes and the others wait. A killed
 * process leaves nothing behind. Takes about a second per thousand creatives.
 *
 * @param client a dedicated connection without time limits
 * @throws Error from the database or the disk
 */
export async function writeVectorTable(client: ClientBase, pgvector: Pgvector, part: VectorPart): Promise<void> {
  const name = tableOf(part, pgvector);
  if (await isWritten(client, name)) return;
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', WRITE_LOCK);
    if (rows[0]!.taken) break;
    await pause(LOCK_RETRY_MS);
    if (await isWritten(client, name)) return;
  }
  try {
    if (!(await isWritten(client, name))) await write(client, pgvector, part);
  } finally {
    // A lost connection has already released the lock.
    await client.query('select pg_advisory_unlock($1, $2)', WRITE_LOCK).catch(() => undefined);
  }
}

/**
 * Removes the tables of all snapshots but these. Also keeps the last two tables written for each part: writing one can
 * take as long as several feeds take, and meanwhile nodes search the one before. Does nothing if there are no tables.
 */
export async function removeOtherVectorTables(pool: Pool, snapshots: readonly string[]): Promise<void> {
  const { rows: known } = await pool.query("select 1 where to_regclass('vector_tables') is not null");
  if (known.length === 0) return;
  const { rows } = await pool.query<{ name: string }>(
    `select name from (
       select name, snapshot, row_number() over (partition by part order by written_at desc) as age from vector_tables
     ) as written where snapshot <> all($1) and age > 2`,
    [snapshots],
  );
  // Each list of statements is one transaction.
  for (const { name } of rows) {
    await pool.query(`delete from vector_tables where name = '${name}'; drop table if exists ${name}`);
  }
}

async function isWritten(client: ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query('select 1 from vector_tables where name = $1 and to_regclass(name) is not null', [
    name,
  ]);
  return rows.length > 0;
}

async function write(client: ClientBase, pgvector: Pgvector, part: VectorPart): Promise<void> {
  const name = tableOf(part, pgvector);
  const { schema, halfPrecision } = pgvector;
  await client.query('begin');
  try {
    // Keeps rows of up to 8 kB in one piece: out-of-line values would be looked up for each comparison.
    await client.query(`
      create table ${name} (
        label integer primary key, embedding ${typeOf(pgvector, part.dims)} not null,
        categories text[] not null, advertiser text, language text, countries text[]
      );
      alter table ${name} alter column embedding set storage plain;
    `);
    await fill(client, pgvector, part);
    if (isIndexed(part.creatives.length)) {
      await client.query(BUILD_MEMORY);
      const operators = `${schema}.${halfPrecision ? 'halfvec' : 'vector'}_ip_ops`;
      await client.query(`
        create index on ${name} using hnsw (embedding ${operators}) with (m = ${LINKS}, ef_construction = ${BUILD_WIDTH})
      `);
    }
    await client.query(`analyze ${name}`);
    await client.query(
      'insert into vector_tables (snapshot, part, name) values ($1, $2, $3) on conflict (name) do nothing',
      [part.snapshot, part.part, name],
    );
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function fill(client: ClientBase, pgvector: Pgvector, { file, dims, creatives, ...part }: VectorPart) {
  const handle = await open(file, 'r');
  try {
    for (let first = 0; first < creatives.length; first += BATCH) {
      const batch = creatives.slice(first, first + BATCH);
      const vectors = new Float32Array(batch.length * dims);
      const bytes = new Uint8Array(vectors.buffer);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, first * dims * Float32Array.BYTES_PER_ELEMENT);
      if (bytesRead < bytes.length) throw new Error(`${file} is cut short`);
      const rows = batch.map(({ categories, advertiser, language, countries }, at) => [
        first + at,
        vectorBytes(vectors.subarray(at * dims, (at + 1) * dims)),
        categories.map((category) => category.toLowerCase()),
        advertiser?.toLowerCase() ?? null,
        language === undefined ? null : languageKey(language),
        countries ?? null,
      ]);
      const placeholders = rows.map((_, at) => placeholdersOf(at, pgvector)).join();
      await client.query(`insert into ${tableOf(part, pgvector)} values ${placeholders}`, rows.flat());
    }
  } finally {
    await handle.close();
  }
}

/** Returns the SQL placeholders of one row. A halfvec is cast, since JavaScript cannot write its binary form. */
function placeholdersOf(row: number, { schema, halfPrecision }: Pgvector): string {
  const [label, vector, categories, advertiser, language, countries] = [1, 2, 3, 4, 5, 6].map(
    (at) => `$${row * 6 + at}`,
  );
  const cast = halfPrecision ? `::${schema}.halfvec` : '';
  return `(${label}::integer, ${vector}::${schema}.vector${cast}, ${categories}::text[], ${advertiser}, ${language}, ${countries})`;
}

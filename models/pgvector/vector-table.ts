import { open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';
import { ADJACENT_LOCKS, LOCKS } from '../../platform/postgres/locks.js';
import type { Creative } from '../schema/creative.js';
import { languageKey } from '../text/language-tag.js';
import type { Pgvector } from './extension.js';
import { vectorBytes } from './vector-bytes.js';

/** The vectors of one snapshot by one encoder. */
export interface VectorPart {
  /** The snapshot's id. */
  readonly snapshot: string;
  /** Which of its encoders: one word. */
  readonly part: string;
  /** Unit vectors, row-major: label × dims, little-endian. */
  readonly file: string;
  readonly dims: number;
  /** By label. */
  readonly creatives: readonly Creative[];
}

/** Up to so many creatives a scan of all is exact, and as fast as an index. */
const INDEX_ABOVE = 500;
/** As in memory (`models/index/graph.ts`). */
const LINKS = 16;
const BUILD_WIDTH = 200;
/** What a graph does not fit into is built many times slower; an operator may give more. */
const BUILD_MEMORY = `select set_config('maintenance_work_mem',
  greatest(pg_size_bytes(current_setting('maintenance_work_mem')), pg_size_bytes('256MB')) / 1024 || 'kB', true)`;
/** Rows of one statement. */
const BATCH = 200;
const TURN = [ADJACENT_LOCKS, LOCKS.vectors];
const TURN_AGAIN_MS = 250;

/** Whether a part of so many creatives has an index; else all of them are compared. */
export function isIndexed(creatives: number): boolean {
  return creatives > INDEX_ABOVE;
}

/** The table of a part, by its type: a later pgvector may ask for another. Also a name that needs no quotes. */
export function tableOf(
  { snapshot, part }: Pick<VectorPart, 'snapshot' | 'part'>,
  { halves }: Pick<Pgvector, 'halves'>,
): string {
  return `vectors_${snapshot}_${part}${halves ? '' : '_full'}`.replace(/[^a-z0-9_]/g, '_');
}

/** The type of a part's vectors. */
export function typeOf({ halves, schema }: Pgvector, dims: number): string {
  return `${schema}.${halves ? 'halfvec' : 'vector'}(${dims})`;
}

/**
 * Writes a part's table with its index, unless it is there. Of several processes one writes, and the others wait; one that
 * is killed leaves nothing. Takes about a second for a thousand creatives.
 *
 * @param client a connection of its own, without limits of time
 * @throws Error of the database or the disk
 */
export async function writeVectorTable(client: ClientBase, pgvector: Pgvector, part: VectorPart): Promise<void> {
  const name = tableOf(part, pgvector);
  if (await isWritten(client, name)) return;
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', TURN);
    if (rows[0]!.taken) break;
    await pause(TURN_AGAIN_MS);
    if (await isWritten(client, name)) return;
  }
  try {
    if (!(await isWritten(client, name))) await write(client, pgvector, part);
  } finally {
    // A connection that is lost has given it back.
    await client.query('select pg_advisory_unlock($1, $2)', TURN).catch(() => undefined);
  }
}

/**
 * Removes the tables of all snapshots but these. The last two that were written of each part stay too: while one is being
 * written, for as long as many feeds take, nodes search in the one before. Does nothing where there are none.
 */
export async function keepVectorTables(pool: Pool, snapshots: readonly string[]): Promise<void> {
  const { rows: known } = await pool.query("select 1 where to_regclass('vector_tables') is not null");
  if (known.length === 0) return;
  const { rows } = await pool.query<{ name: string }>(
    `select name from (
       select name, snapshot, row_number() over (partition by part order by written_at desc) as age from vector_tables
     ) as written where snapshot <> all($1) and age > 2`,
    [snapshots],
  );
  // Each statement list is one transaction.
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
  const { schema, halves } = pgvector;
  await client.query('begin');
  try {
    // Rows of up to 8 kB stay in one piece: what lies apart is looked up for each comparison.
    await client.query(`
      create table ${name} (
        label integer primary key, embedding ${typeOf(pgvector, part.dims)} not null,
        categories text[] not null, advertiser text, language text
      );
      alter table ${name} alter column embedding set storage plain;
    `);
    await fill(client, pgvector, part);
    if (isIndexed(part.creatives.length)) {
      await client.query(BUILD_MEMORY);
      const operators = `${schema}.${halves ? 'halfvec' : 'vector'}_ip_ops`;
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
      const rows = batch.map(({ categories, advertiser, language }, at) => [
        first + at,
        vectorBytes(vectors.subarray(at * dims, (at + 1) * dims)),
        categories.map((category) => category.toLowerCase()),
        advertiser?.toLowerCase() ?? null,
        language === undefined ? null : languageKey(language),
      ]);
      const places = rows.map((_, at) => placesOf(at, pgvector)).join();
      await client.query(`insert into ${tableOf(part, pgvector)} values ${places}`, rows.flat());
    }
  } finally {
    await handle.close();
  }
}

/** A half has a cast, but no binary form that JavaScript could write. */
function placesOf(row: number, { schema, halves }: Pgvector): string {
  const [label, vector, categories, advertiser, language] = [1, 2, 3, 4, 5].map((at) => `$${row * 5 + at}`);
  const cast = halves ? `::${schema}.halfvec` : '';
  return `(${label}::integer, ${vector}::${schema}.vector${cast}, ${categories}::text[], ${advertiser}, ${language})`;
}

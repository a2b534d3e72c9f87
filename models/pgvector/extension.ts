import type { ClientBase } from 'pg';

/** The database cannot search vectors; the message says what to do. */
export class NoVectorsError extends Error {
  override readonly name = 'NoVectorsError';
}

/** What the database's pgvector can do. */
export interface Pgvector {
  readonly version: string;
  /** The schema that its types and operators lie in, quoted. */
  readonly schema: string;
  /** Whether it has vectors of half precision, which take half the room (0.7). */
  readonly halves: boolean;
  /** Whether a scan goes on where a filter leaves too few (0.8). */
  readonly iterative: boolean;
}

/** HNSW came with it. */
const OLDEST = 5;
const HALVES_SINCE = 7;
const ITERATIVE_SINCE = 8;
const REFUSED = '42501';

/**
 * Finds the extension in the database, and makes it where it is installed and this user may.
 *
 * @throws NoVectorsError where it is not, or too old
 */
export async function requirePgvector(client: ClientBase): Promise<Pgvector> {
  const found = (await findExtension(client)) ?? (await makeExtension(client));
  const minor = minorOf(found.version);
  if (minor < OLDEST) {
    throw new NoVectorsError(`SEARCH=pgvector needs pgvector 0.${OLDEST} or later; the database has ${found.version}`);
  }
  return { ...found, halves: minor >= HALVES_SINCE, iterative: minor >= ITERATIVE_SINCE };
}

type Extension = Pick<Pgvector, 'version' | 'schema'>;

async function findExtension(client: ClientBase): Promise<Extension | null> {
  const { rows } = await client.query<Extension>(
    `select e.extversion as version, quote_ident(n.nspname) as schema
       from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'`,
  );
  return rows[0] ?? null;
}

async function makeExtension(client: ClientBase): Promise<Extension> {
  const { rows } = await client.query("select 1 from pg_available_extensions where name = 'vector'");
  if (rows.length === 0) {
    throw new NoVectorsError(
      'SEARCH=pgvector: the PostgreSQL of DATABASE_URL has no pgvector installed; install it there (postgresql-NN-pgvector), or leave SEARCH out',
    );
  }
  try {
    await client.query('create extension if not exists vector');
  } catch (error) {
    // Another node may have been faster.
    const made = await findExtension(client);
    if (made !== null) return made;
    if ((error as { code?: string }).code !== REFUSED) throw error;
    throw new NoVectorsError(
      'SEARCH=pgvector: pgvector is installed but not in this database; have a superuser run there: create extension vector',
      { cause: error },
    );
  }
  return (await findExtension(client))!;
}

/** As if 1.0 were 0.100. */
function minorOf(version: string): number {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major * 100 + minor;
}

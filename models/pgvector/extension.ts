import type { ClientBase } from 'pg';

/** A database that cannot search vectors. The message says what to do. */
export class NoVectorsError extends Error {
  override readonly name = 'NoVectorsError';
}

/** The database's pgvector extension and its capabilities. */
export interface Pgvector {
  readonly version: string;
  /** Schema of its types and operators, quoted. */
  readonly schema: string;
  /** Whether it has half-precision vectors, which take half the space (0.7). */
  readonly halfPrecision: boolean;
  /** Whether it has iterative scans, which continue if a filter leaves too few rows (0.8). */
  readonly iterative: boolean;
}

/** The first minor version with HNSW. */
const OLDEST = 5;
const HALF_PRECISION_SINCE = 7;
const ITERATIVE_SINCE = 8;
/** SQLSTATE insufficient_privilege. */
const REFUSED = '42501';

/**
 * Finds the extension in the database, or creates it if it is installed on the server and this user may.
 *
 * @throws NoVectorsError if it is unavailable or too old
 */
export async function requirePgvector(client: ClientBase): Promise<Pgvector> {
  const found = (await findExtension(client)) ?? (await createExtension(client));
  const minor = minorOf(found.version);
  if (minor < OLDEST) {
    throw new NoVectorsError(`SEARCH=pgvector needs pgvector 0.${OLDEST} or later; the database has ${found.version}`);
  }
  return { ...found, halfPrecision: minor >= HALF_PRECISION_SINCE, iterative: minor >= ITERATIVE_SINCE };
}

type Extension = Pick<Pgvector, 'version' | 'schema'>;

async function findExtension(client: ClientBase): Promise<Extension | null> {
  const { rows } = await client.query<Extension>(
    `select e.extversion as version, quote_ident(n.nspname) as schema
       from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'`,
  );
  return rows[0] ?? null;
}

async function createExtension(client: ClientBase): Promise<Extension> {
  const { rows } = await client.query("select 1 from pg_available_extensions where name = 'vector'");
  if (rows.length === 0) {
    throw new NoVectorsError(
      'SEARCH=pgvector: the PostgreSQL of DATABASE_URL has no pgvector installed; install it there (postgresql-NN-pgvector), or leave SEARCH out',
    );
  }
  try {
    await client.query('create extension if not exists vector');
  } catch (error) {
    // Another node may have created it meanwhile.
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

/** Returns the minor version, counting 1.0 as 0.100. */
function minorOf(version: string): number {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major * 100 + minor;
}

import type pg from 'pg';

/** The schema that holds all of Adjacent's tables, so that the database can hold other things too. */
export const SCHEMA = 'adjacent';

/**
 * Time limits of a connection, in milliseconds; 0, the default of most: no limit. They replace those that the database
 * or the role has: a limit meant for people's queries would end a check of the books, or a move, halfway.
 */
export interface ConnectionTimeouts {
  /** For the first response of the server. */
  readonly connectMs?: number;
  /** For one statement, measured by the server. */
  readonly statementMs?: number;
  /** For the response to a statement, measured by the client: a network that drops all packets gives no sign. */
  readonly responseMs?: number;
  /** For one wait for a lock that another connection holds. */
  readonly lockMs?: number;
  /** Between statements of a transaction, before the server ends it; one minute by default. */
  readonly silentMs?: number;
  /** Further PostgreSQL settings for the connection, by name. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

export interface ClientOptions extends ConnectionTimeouts {
  /** Whether a query may be sent before the previous one is answered. */
  readonly pipeline?: boolean;
}

const CONNECT_MS = 5000;
/** After this long without a statement from the client, the server ends its transaction and releases its locks. */
const SILENT_MS = 60_000;
/** A pool replaces each connection after this long: the address may lead to another server by then. */
const LIFETIME_S = 300;

/** Loads the driver when it is first needed: a tenth of the start of a command that works without a database. */
const driver = async (): Promise<typeof pg> => (await import('pg')).default;

/**
 * Opens one connection. Names resolve in Adjacent's schema, and both ends soon detect that the other is gone.
 *
 * @param url as in `DATABASE_URL`: `postgres://user:password@host:5432/name?sslmode=verify-full`
 * @param onLost called once when the connection ends unexpectedly
 * @throws Error of the network or the server, when no connection can be opened
 */
export async function openClient(
  url: string,
  { pipeline = false, ...limits }: ClientOptions = {},
  onLost: (error: Error) => void = () => {},
): Promise<pg.Client> {
  const { Client } = await driver();
  const client = new Client({ ...connectionSettings(url, limits), pipeline });
  client.on('error', onLost);
  try {
    await client.connect();
    await client.query(sessionSettings(url, limits));
  } catch (error) {
    // Not awaited: if the server does not respond, closing does not finish either.
    void client.end().catch(() => {});
    throw error;
  }
  return client;
}

/**
 * Opens connections as they are needed, and replaces each after five minutes.
 *
 * @param max maximum number of connections; further queries wait
 * @param onLost called for connections that ended while idle; they are replaced
 */
export async function openPool(
  url: string,
  max: number,
  limits: ConnectionTimeouts = {},
  onLost: (error: Error) => void = () => {},
): Promise<pg.Pool> {
  const { Pool } = await driver();
  const prepare = (client: pg.ClientBase): Promise<unknown> => client.query(sessionSettings(url, limits));
  const pool = new Pool({
    ...connectionSettings(url, limits),
    max,
    maxLifetimeSeconds: LIFETIME_S,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, whatever its types say
    onConnect: prepare,
  });
  pool.on('error', onLost);
  return pool;
}

function connectionSettings(
  url: string,
  { connectMs = CONNECT_MS, responseMs = 0 }: ConnectionTimeouts,
): pg.ClientConfig {
  return {
    connectionString: verifying(url),
    application_name: 'adjacent',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: connectMs,
    ...(responseMs > 0 ? { query_timeout: responseMs } : {}),
  };
}

/**
 * The driver verifies certificates in these modes as in `verify-full`, and prints a warning of six lines in each process
 * that later versions will not.
 */
function verifying(url: string): string {
  if (/[?&]uselibpqcompat=true(&|$)/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

/**
 * Sets these after connecting, because a pooler refuses settings that are sent with the connection. Settings in the
 * operator's own `options` take precedence, except for the schema.
 */
function sessionSettings(
  url: string,
  { statementMs = 0, lockMs = 0, silentMs = SILENT_MS, settings: further = {} }: ConnectionTimeouts,
): string {
  const own = new URL(url).searchParams.get('options') ?? '';
  const settings = {
    tcp_keepalives_idle: 30,
    tcp_keepalives_interval: 10,
    tcp_keepalives_count: 3,
    idle_in_transaction_session_timeout: silentMs,
    // A lock is held by a connection that says nothing for hours, while an index run embeds.
    idle_session_timeout: 0,
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    ...further,
  };
  const ours = Object.entries(settings).filter(([name]) => !own.includes(`${name}=`));
  const set = [['search_path', SCHEMA] as const, ...ours].map(
    ([name, value]) => `set_config('${name}', '${value}', false)`,
  );
  // PostgreSQL 17's; earlier servers refuse an unknown name.
  const lifted = "select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'";
  return `select ${[...set, ...(own.includes('transaction_timeout=') ? [] : [`(${lifted})`])].join()}`;
}

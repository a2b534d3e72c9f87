import pg from 'pg';

/** The schema that holds everything of Adjacent's, so that it can share a database. */
export const SCHEMA = 'adjacent';

/** How long things may take on a connection, milliseconds; 0: any time. */
export interface ConnectionLimits {
  /** Until the server answers at first. */
  readonly connectMs?: number;
  /** For one statement, counted by the server. */
  readonly statementMs?: number;
  /** Until a statement is answered, counted here: a network that swallows everything gives no sign. */
  readonly answerMs?: number;
  /** For one wait for a lock that another connection holds. */
  readonly lockMs?: number;
  /** Between statements of a transaction, before the server ends it; by default a minute. */
  readonly silentMs?: number;
  /** Further settings of PostgreSQL for the connection, by name. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

export interface ClientOptions extends ConnectionLimits {
  /** Whether a query is sent before the one before it is answered. */
  readonly pipeline?: boolean;
}

const CONNECT_MS = 5000;
/** A server whose client is gone ends its transaction, and with it the locks, after so long. */
const SILENT_MS = 60_000;
/** After so long a pool opens a connection anew: the address may lead to another server by then. */
const LIFETIME_S = 300;

/**
 * Opens one connection: names are looked up in Adjacent's schema, and both ends notice soon when the other is gone.
 *
 * @param url as in `DATABASE_URL`: `postgres://user:password@host:5432/name?sslmode=verify-full`
 * @param onLost is told once when the connection ends by itself
 * @throws Error of the network or the server, when there is none
 */
export async function openClient(
  url: string,
  { pipeline = false, ...limits }: ClientOptions = {},
  onLost: (error: Error) => void = () => {},
): Promise<pg.Client> {
  const client = new pg.Client({ ...connectionSettings(url, limits), pipeline });
  client.on('error', onLost);
  try {
    await client.connect();
    await client.query(sessionSettings(url, limits));
  } catch (error) {
    // Not waited for: where nothing answers, the end does not come either.
    void client.end().catch(() => {});
    throw error;
  }
  return client;
}

/**
 * Opens connections as they are needed, and each anew after five minutes.
 *
 * @param most how many at once; more queries wait
 * @param onLost is told of connections that ended while nobody used them; they are replaced
 */
export function openPool(
  url: string,
  most: number,
  limits: ConnectionLimits = {},
  onLost: (error: Error) => void = () => {},
): pg.Pool {
  const prepare = (client: pg.ClientBase): Promise<unknown> => client.query(sessionSettings(url, limits));
  const pool = new pg.Pool({
    ...connectionSettings(url, limits),
    max: most,
    maxLifetimeSeconds: LIFETIME_S,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, whatever its types say
    onConnect: prepare,
  });
  pool.on('error', onLost);
  return pool;
}

function connectionSettings(url: string, { connectMs = CONNECT_MS, answerMs = 0 }: ConnectionLimits): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'adjacent',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: connectMs,
    ...(answerMs > 0 ? { query_timeout: answerMs } : {}),
  };
}

/** A pooler refuses settings that come with the connection. Those of the operator's own `options` win. */
function sessionSettings(
  url: string,
  { statementMs = 0, lockMs = 0, silentMs = SILENT_MS, settings: further = {} }: ConnectionLimits,
): string {
  const own = new URL(url).searchParams.get('options') ?? '';
  const settings = {
    search_path: SCHEMA,
    tcp_keepalives_idle: 30,
    tcp_keepalives_interval: 10,
    tcp_keepalives_count: 3,
    idle_in_transaction_session_timeout: silentMs,
    ...(statementMs > 0 ? { statement_timeout: statementMs } : {}),
    ...(lockMs > 0 ? { lock_timeout: lockMs } : {}),
    ...further,
  };
  const ours = Object.entries(settings).filter(([name]) => !own.includes(`${name}=`));
  return `select ${ours.map(([name, value]) => `set_config('${name}', '${value}', false)`).join()}`;
}

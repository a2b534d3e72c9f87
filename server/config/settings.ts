import { resolve } from 'node:path';
import { databaseUrl } from '../../platform/command-line/database-url.js';
import { SettingError, wholeNumber, type Setting } from '../../platform/command-line/settings.js';
import { HOUR } from '../../platform/time/durations.js';
import { SHARED_SETTINGS, type SharedConfig } from '../../models/shared-settings.js';
import { parseSigningKeys, type SigningKey, SigningKeysError } from '../domain/signing-key.js';

/** The service's settings, created by `readConfig` and passed as a value. */
export interface Config extends SharedConfig {
  readonly port: number;
  /** Address to listen on; undefined: all. If `baseUrl` is local, the default is the loopback address. */
  readonly host: string | undefined;
  /** Port of the operators' paths; null: they are served on the main port. */
  readonly opsPort: number | null;
  readonly opsHost: string;
  /** Whether dashboard and report API are served on `opsPort`, and only there. */
  readonly opsDashboard: boolean;
  /** Public base URL, without a trailing slash; null: `http://localhost:PORT`. */
  readonly baseUrl: string | null;
  /** Number of trusted proxies in front, whose forwarded client address is used. */
  readonly trustProxy: number;
  /** Header in which the proxy names the client's country, in lower case; null: none does. */
  readonly countryHeader: string | null;
  readonly adminToken: string | null;
  /** The first key issues request ids; null: a key kept in `DATA_DIR` does. */
  readonly signingKeys: readonly [SigningKey, ...SigningKey[]] | null;
  /** Name of this installation in request ids; null: derived from the data directory. */
  readonly installation: string | null;
  readonly demo: boolean;
  /** Min score of a served ad; null: the floor fitted with the model. */
  readonly floor: number | null;
  readonly logLevel: string;
  readonly maxBodyBytes: number;
  /** How long after its decision an impression or view counts, in milliseconds. */
  readonly impressionWindowMs: number;
  /** Max clicks of one address that count within an hour; 0: no limit. */
  readonly clicksPerHour: number;
  /** File of address ranges from which no click counts; null: none. */
  readonly dataCentres: string | null;
  /** URL of a replica from which reports are read; null: reports are read from the ledger's database. */
  readonly reportsDatabaseUrl: string | null;
  /** How many days raw events are kept. Always longer than either window, so that no event is counted twice. */
  readonly keepEventsDays: number;
  /** Where the catalogue's vectors are searched: in each node's memory, or in the shared database. */
  readonly search: 'memory' | 'pgvector';
  readonly warnings: readonly string[];
}

const SEARCHES: readonly string[] = ['memory', 'pgvector'] satisfies readonly Config['search'][];
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** All settings. The table in `server/README.md` documents them. */
export const SETTINGS: readonly Setting<Config>[] = [
  { name: 'PORT', key: 'port', read: (text) => wholeNumber(text, 3000, 0, 65_535) },
  { name: 'HOST', key: 'host', read: (text) => text },
  {
    name: 'OPS_PORT',
    key: 'opsPort',
    read: (text) => (text === undefined ? null : wholeNumber(text, 0, 0, 65_535)),
  },
  { name: 'OPS_HOST', key: 'opsHost', read: (text) => text ?? '127.0.0.1' },
  { name: 'OPS_DASHBOARD', key: 'opsDashboard', read: (text) => onOrOff(text) ?? false },
  { name: 'BASE_URL', key: 'baseUrl', read: baseUrl },
  { name: 'TRUST_PROXY', key: 'trustProxy', read: (text) => wholeNumber(text, 0, 0, 32) },
  { name: 'COUNTRY_HEADER', key: 'countryHeader', read: headerName },
  SHARED_SETTINGS.WORKERS,
  SHARED_SETTINGS.DATA_DIR,
  { name: 'ADMIN_TOKEN', key: 'adminToken', read: adminToken },
  { name: 'SIGNING_KEYS', key: 'signingKeys', read: signingKeys },
  { name: 'INSTALLATION', key: 'installation', read: (text) => text ?? null },
  { name: 'DEMO', key: 'demo', read: onOrOff },
  SHARED_SETTINGS.CURRENCY,
  SHARED_SETTINGS.TIME_ZONE,
  SHARED_SETTINGS.DATABASE_URL,
  { name: 'REPORTS_DATABASE_URL', key: 'reportsDatabaseUrl', read: databaseUrl },
  SHARED_SETTINGS.PROFILE,
  SHARED_SETTINGS.LANGUAGES,
  SHARED_SETTINGS.MODEL,
  { name: 'FLOOR', key: 'floor', read: (text) => (text === undefined ? null : fraction(text)) },
  { name: 'LOG_LEVEL', key: 'logLevel', read: (text) => oneOf(text ?? 'info', LOG_LEVELS) },
  { name: 'MAX_BODY', key: 'maxBodyBytes', read: (text) => wholeNumber(text, 256 * 1024, 1024, 64 * 1024 * 1024) },
  {
    name: 'IMPRESSION_HOURS',
    key: 'impressionWindowMs',
    read: (text) => wholeNumber(text, 24, 1, 24 * 30) * HOUR,
  },
  SHARED_SETTINGS.CLICK_DAYS,
  { name: 'CLICKS_PER_HOUR', key: 'clicksPerHour', read: (text) => wholeNumber(text, 120, 0, 1_000_000) },
  { name: 'DATA_CENTRES', key: 'dataCentres', read: (text) => (text === undefined ? null : resolve(text)) },
  { name: 'SEARCH', key: 'search', read: (text) => oneOf(text ?? 'memory', SEARCHES) },
  { name: 'KEEP_EVENTS_DAYS', key: 'keepEventsDays', read: (text) => wholeNumber(text, 90, 31, 3660) },
];

function fraction(text: string): number {
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : NaN;
  if (!(value >= 0 && value <= 1)) throw new SettingError(`must be a number from 0 to 1, not "${text}"`);
  return value;
}

function oneOf(text: string, allowed: readonly string[]): string {
  if (!allowed.includes(text)) throw new SettingError(`must be one of ${allowed.join(', ')}, not "${text}"`);
  return text;
}

function onOrOff(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (/^(on|true|yes|1)$/i.test(text)) return true;
  if (/^(off|false|no|0)$/i.test(text)) return false;
  throw new SettingError(`must be on or off, not "${text}"`);
}

function baseUrl(text: string | undefined): string | null {
  if (text === undefined) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new SettingError('must be an http or https address, such as https://ads.example.com');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new SettingError('must not contain a user, password, query or fragment');
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function headerName(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!/^[a-z0-9-]{1,64}$/i.test(text)) throw new SettingError('must be the name of a header, such as cf-ipcountry');
  return text.toLowerCase();
}

function adminToken(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!/^[\x21-\x7e]{16,256}$/.test(text)) {
    throw new SettingError('must be 16 to 256 printable ASCII characters without spaces');
  }
  return text;
}

function signingKeys(text: string | undefined): Config['signingKeys'] {
  try {
    return text === undefined ? null : parseSigningKeys(text);
  } catch (error) {
    if (error instanceof SigningKeysError) throw new SettingError(error.message.replace(/^SIGNING_KEYS:? ?/, ''));
    throw error;
  }
}

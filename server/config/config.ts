import { parseArgs } from 'node:util';
import { optionOf, readSettings, SettingsError, type Texts } from '../../platform/command-line/settings.js';
import { isLocal, isTrustworthy } from '../domain/urls.js';
import { SETTINGS, type Config } from './settings.js';

export type { Config } from './settings.js';

/**
 * Reads and validates all settings. Flags (`--base-url URL`) override the environment.
 *
 * @param argv the command-line arguments without node and script
 * @throws SettingsError naming every invalid setting, not only the first
 */
export function readConfig(env: Texts, argv: readonly string[] = []): Config {
  const { values, problems } = readFlags(argv);
  const config = readSettings<Config>(SETTINGS, values, env, problems);
  const { baseUrl, demo, host } = config;
  const missing = missingSettings(config);
  if (missing.length > 0) throw new SettingsError(missing);
  const local = localAddress(baseUrl);
  return {
    ...config,
    host: host ?? local,
    demo: demo ?? local !== undefined,
    warnings: doubts(config),
  };
}

/** Says what is probably not meant. */
function doubts({ baseUrl, opsPort, databaseUrl, reportsDatabaseUrl }: Config): string[] {
  const warnings: string[] = [];
  // Whoever reads the metrics often enough sees when somebody's conversation was too sensitive for an ad.
  if (opsPort === null && localAddress(baseUrl) === undefined)
    warnings.push('OPS_PORT is not set: the proxy must not expose /metrics, /readyz and /healthz, which are on PORT');
  if (!isTrustworthy(baseUrl))
    warnings.push('BASE_URL is plain http beyond localhost: keys and conversations travel unencrypted');
  if (databaseUrl !== null && reportsDatabaseUrl !== null) {
    const [own, reports] = [new URL(databaseUrl).pathname, new URL(reportsDatabaseUrl).pathname];
    // A replica has its original's name. It is not refused, since a pooler may name a database otherwise.
    if (own !== reports)
      warnings.push(
        `REPORTS_DATABASE_URL names the database ${reports.slice(1)}, DATABASE_URL ${own.slice(1)}: unless it is a ` +
          'replica under another name, reports come from other data',
      );
  }
  return warnings;
}

/** Names the settings that others need. */
function missingSettings(config: Config): string[] {
  const { countryHeader, databaseUrl, opsDashboard, opsPort, reportsDatabaseUrl, search, trustProxy } = config;
  const problems: string[] = [];
  if (countryHeader !== null && trustProxy === 0)
    problems.push('COUNTRY_HEADER is set, which needs TRUST_PROXY: without a proxy, clients could name any country');
  if (opsDashboard && opsPort === null) problems.push('OPS_DASHBOARD is on, which needs OPS_PORT');
  if (search === 'pgvector' && databaseUrl === null) problems.push('SEARCH is pgvector, which needs DATABASE_URL');
  if (reportsDatabaseUrl !== null && databaseUrl === null) {
    problems.push('REPORTS_DATABASE_URL is set, which needs DATABASE_URL: it names a replica of that database');
  }
  return problems;
}

/**
 * Returns the address by which this machine reaches itself under a base URL; undefined: the base URL is meant for other
 * machines.
 */
function localAddress(baseUrl: string | null): string | undefined {
  const url = new URL(baseUrl ?? 'http://localhost');
  if (!isLocal(url)) return undefined;
  // Clients that resolve a local name try 127.0.0.1 too.
  return /^[\d.]+$|^\[/.test(url.hostname) ? url.hostname.replace(/[[\]]/g, '') : '127.0.0.1';
}

/** Reads the flags. Every setting has one: `DATA_DIR` is `--data-dir`. */
function readFlags(argv: readonly string[]) {
  const known = new Set(SETTINGS.map(({ name }) => optionOf(name)));
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries([...known].map((flag) => [flag, { type: 'string' as const }])),
    strict: false,
    tokens: true,
  });
  const values: Record<string, string> = {};
  const problems: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') problems.push(`${token.value} is not a flag`);
    else if (!known.has(token.name)) problems.push(`${token.rawName} is not a known flag`);
    else if (token.value === undefined) problems.push(`${token.rawName} needs a value`);
    else values[token.name] = token.value;
  }
  return { values, problems };
}

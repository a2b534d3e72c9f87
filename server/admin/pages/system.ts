import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Middleware } from 'koa';
import { LEDGER_FILE } from '../../ledger/database.js';
import type { PageOptions } from './page-options.js';
import { type Config, SETTINGS } from '../../config/settings.js';
import { readFileSync } from 'node:fs';

/** `GET /admin/system`: the readiness checks, versions and settings. */
export function system(options: PageOptions): Middleware {
  const { show, readiness, index, encoder, config, baseUrl } = options;
  return async (ctx) => {
    const checks = await Promise.all(readiness.map(async ({ name, fault }) => ({ name, fault: await fault() })));
    const ledger = config.databaseUrl === null ? await stat(join(config.dataDir, LEDGER_FILE)).catch(() => null) : null;
    show(ctx, 'system', {
      title: 'System',
      navEntry: 'system',
      checks,
      ready: checks.every(({ fault }) => fault === null),
      state: index.state(),
      encoder,
      baseUrl,
      version: VERSION,
      node: process.version,
      ledgerBytes: ledger?.size ?? 0,
      inPostgres: config.databaseUrl !== null,
      settings: settingsOf(config),
    });
  };
}

/** Settings that are never shown, with what is shown where they are not set. */
const SECRETS: Readonly<Partial<Record<keyof Config, string>>> = {
  adminToken: 'kept in DATA_DIR',
  signingKeys: 'kept in DATA_DIR',
  databaseUrl: 'not set',
  reportsDatabaseUrl: 'not set',
};
const HOUR = 3_600_000;

/** Returns every setting with its value, and for secrets only whether they are set. */
function settingsOf(config: Config): readonly { readonly name: string; readonly value: string }[] {
  return SETTINGS.map(({ name, key }) => {
    const value = key === null ? null : config[key];
    const unset = key === null ? undefined : SECRETS[key];
    if (unset !== undefined) return { name, value: value === null ? unset : 'set, not shown' };
    if (value === null || value === undefined) return { name, value: key === null ? 'not set' : 'default' };
    if (key === 'impressionWindowMs') return { name, value: String(Number(value) / HOUR) };
    if (key === 'clickWindowMs') return { name, value: String(Number(value) / (24 * HOUR)) };
    return { name, value: typeof value === 'object' ? 'set' : String(value) };
  });
}

/** The package's version when the process started. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

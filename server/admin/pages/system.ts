import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Middleware } from 'koa';
import { LEDGER_FILE } from '../../ledger/database.js';
import type { Parts } from '../parts.js';
import { SETTINGS, type Config } from '../../settings.js';
import { VERSION } from '../version.js';

/** `GET /admin/system`: whether all is well, and what it runs with. */
export function system(parts: Parts): Middleware {
  const { show, readiness, index, encoder, config, baseUrl } = parts;
  return async (ctx) => {
    const checks = await Promise.all(readiness.map(async ({ name, fault }) => ({ name, fault: await fault() })));
    const ledger = await stat(join(config.dataDir, LEDGER_FILE)).catch(() => null);
    show(ctx, 'system', {
      title: 'System',
      place: 'system',
      checks,
      ready: checks.every(({ fault }) => fault === null),
      state: index.state(),
      encoder,
      baseUrl,
      version: VERSION,
      node: process.version,
      ledgerBytes: ledger?.size ?? 0,
      settings: settingsOf(config),
    });
  };
}

const SECRET = new Set(['ADMIN_TOKEN', 'SIGNING_KEYS', 'DATABASE_URL']);

/** Every setting with its value; of secrets, only whether they are set. */
function settingsOf(config: Config): readonly { readonly name: string; readonly value: string }[] {
  return SETTINGS.map(({ name, key }) => {
    const value = key === null ? null : config[key];
    if (SECRET.has(name)) return { name, value: value === null ? 'kept in DATA_DIR, or not used' : 'set, not shown' };
    return { name, value: value === null || value === undefined ? 'default' : String(value) };
  });
}

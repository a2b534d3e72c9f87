import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../support/eventually.js';
import type { Measured } from './event-loop-child.js';

const SERVER = fileURLToPath(new URL('../../server/main.js', import.meta.url));
const PRELOAD = new URL('./event-loop-child.js', import.meta.url).href;

/** A server in its own process, whose event loop and memory are measured from inside. */
export interface WatchedServer {
  readonly port: number;
  readonly running: boolean;
  /** Discards all measurements so far. */
  begin(): void;
  measure(): Promise<Measured>;
  /** Its log so far, one JSON object per line. */
  log(): string;
  /**
   * Ends it gracefully.
   *
   * @returns its exit code
   */
  end(): Promise<number | null>;
}

/**
 * Starts the built server on a free port. Its output goes to files, since a slow reader of a pipe would slow it down.
 */
export async function startWatched(dataDir: string, env: Readonly<Record<string, string>>): Promise<WatchedServer> {
  const logFile = path.join(dataDir, 'fuzz-log');
  const [out, err] = [openSync(path.join(dataDir, 'fuzz-out'), 'w'), openSync(logFile, 'w')];
  const child = spawn(process.execPath, ['--expose-gc', '--import', PRELOAD, SERVER], {
    env: { ...process.env, PORT: '0', WORKERS: '1', LOG_LEVEL: 'warn', ...env, DATA_DIR: dataDir },
    stdio: ['ignore', out, err, 'ipc'],
  });
  closeSync(out);
  closeSync(err);
  const log = (): string => readFileSync(logFile, 'utf8');
  const port = await portOf(child, path.join(dataDir, 'fuzz-out'), log).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    port,
    log,
    get running() {
      return child.exitCode === null && child.signalCode === null;
    },
    begin: () => void child.send('begin'),
    async measure() {
      child.send('measure');
      const [measured] = (await once(child, 'message')) as [Measured];
      return measured;
    },
    async end() {
      if (child.exitCode === null && child.signalCode === null && child.kill('SIGTERM')) await once(child, 'exit');
      return child.exitCode;
    },
  };
}

async function portOf(child: ChildProcess, outFile: string, log: () => string): Promise<number> {
  let port = 0;
  await eventually(() => {
    const [, found] = /at http:\/\/localhost:(\d+)[^]*\/docs/.exec(readFileSync(outFile, 'utf8')) ?? [];
    if (found === undefined) throw new Error(`the server does not serve:\n${log()}`);
    port = Number(found);
  }, 90_000);
  if (child.exitCode !== null) throw new Error(`the server ended:\n${log()}`);
  return port;
}

import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { watchProcess, type Ended } from '../../support/child-process.js';
import { eventually } from '../../support/eventually.js';
import { createCaller, type Caller } from '../calls/caller.js';
import { CONTROL_FILE } from '../calls/control.js';

const built = (file: string): string => fileURLToPath(new URL(`../../../${file}`, import.meta.url));

/** Starts built commands and servers on one data directory, all with the test's clock. */
export interface Processes {
  start(file: string, ...args: string[]): ServerProcess;
  /** Kills all processes that still run. */
  end(): Promise<void>;
}

/** A process and its result. */
export interface ServerProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  readonly over: boolean;
  /** Resolves to a caller once the server serves; null if it ends before. */
  readonly serving: Promise<Caller | null>;
  kill(): Promise<void>;
}

/** Maximum duration of a start, on a busy machine. */
const START_MS = 600_000;

/** @param settings added to the settings of every installation under torture */
export function createProcesses(
  dataDir: string,
  controlFile: string,
  settings: Readonly<Record<string, string>> = {},
): Processes {
  const preload = new URL('preload.js', import.meta.url).href;
  const running = new Set<ServerProcess>();
  const env = {
    ...process.env,
    NODE_OPTIONS: `--import ${preload}`,
    [CONTROL_FILE]: controlFile,
    DATA_DIR: dataDir,
    PORT: '0',
    WORKERS: '1',
    PROFILE: 'fast',
    // Every request gets an ad.
    FLOOR: '0',
    // Each caller sends its own address in a header.
    TRUST_PROXY: '1',
    TIME_ZONE: 'UTC',
    // Low, because weeks pass quickly and pruning is part of the test.
    KEEP_EVENTS_DAYS: '31',
    LOG_LEVEL: 'warn',
    ...settings,
  };
  return {
    start(file, ...args) {
      const child = spawn(process.execPath, [built(file), ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
      const started = watch(child);
      running.add(started);
      void started.ended.then(() => running.delete(started));
      return started;
    },
    async end() {
      for (const each of running) await each.kill();
    },
  };
}

function watch(child: ChildProcess): ServerProcess {
  const { ended } = watchProcess(child);
  let output = '';
  let caller: Caller | null = null;
  let over = false;
  child.stdout!.on('data', (piece) => (output += String(piece)));
  child.on('close', () => {
    over = true;
    caller?.close();
  });
  const serving = async (): Promise<Caller | null> => {
    await eventually(() => {
      if (!over && !output.includes('/docs')) throw new Error('the server does not begin to serve');
    }, START_MS);
    const [, port] = /http:\/\/localhost:(\d+)/.exec(output) ?? [];
    return over || port === undefined ? null : (caller = createCaller(`http://127.0.0.1:${port}`));
  };
  let served: Promise<Caller | null> | undefined;
  return {
    child,
    ended,
    get over() {
      return over;
    },
    get serving() {
      return (served ??= serving());
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Describes an unexpected end of a process. */
export async function describeEnd(name: string, { ended }: ServerProcess): Promise<string> {
  const { code, signal, stderr } = await ended;
  return `${name} ended by itself with ${signal ?? code}: ${stderr.trim().slice(-600)}`;
}

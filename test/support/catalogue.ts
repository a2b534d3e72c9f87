import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEncoder } from '../../models/encoder/pool.js';
import { BUNDLED_MODEL, readProfile } from '../../models/encoder/profile.js';

/** A 1×1 PNG. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);

/** A valid feed row. */
export function feedRow(id: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id,
    name: `Shop ${id}`,
    text: `Everything about ${id}.`,
    landingUrl: `https://shop.example/${id}`,
    ...fields,
  };
}

/** Rows with texts of their own. */
export function feedRows(count: number, prefix = 'item'): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, at) => feedRow(`${prefix}-${at}`));
}

/** Writes a feed as JSON Lines. */
export function writeFeed(folder: string, rows: readonly unknown[], name = 'feed.jsonl'): string {
  const file = path.join(folder, name);
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return file;
}

/** How a command ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that is running. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves once standard output holds the text, or the command has ended. */
  says(text: string): Promise<void>;
}

type Command = 'main' | 'snapshots' | 'rollback';

/** The built command's file. */
export function commandFile(command: Command): string {
  return fileURLToPath(new URL(`../../indexer/${command}.js`, import.meta.url));
}

/** Starts a command of the indexer as npm does, on a data directory. */
export function startCommand(command: Command, dataDir: string, ...args: string[]): Running {
  return watch(spawn(process.execPath, [commandFile(command), ...args], options(dataDir)));
}

/** Runs a command of the indexer to its end. */
export function runCommand(command: Command, dataDir: string, ...args: string[]): Promise<Ended> {
  return startCommand(command, dataDir, ...args).ended;
}

/** Runs the indexer where no file may grow beyond this many KiB: writing then fails as on a full disk. */
export function runIndexerWithin(kibibytes: number, dataDir: string, feed: string): Promise<Ended> {
  const script = `ulimit -f ${kibibytes}; exec "$0" "$@"`;
  return watch(spawn('bash', ['-c', script, process.execPath, commandFile('main'), feed], options(dataDir))).ended;
}

/** The bundled encoder. */
export function bundledEncoder() {
  return createEncoder(readProfile(BUNDLED_MODEL, ''), { workers: 1 });
}

function options(dataDir: string) {
  const env = { ...process.env, DATA_DIR: dataDir, WORKERS: '1', TIME_ZONE: 'UTC', MODEL: '' };
  return { env, cwd: path.dirname(dataDir), stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] };
}

function watch(child: ChildProcess): Running {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (piece: Buffer) => (stdout += piece.toString()));
  child.stderr?.on('data', (piece: Buffer) => (stderr += piece.toString()));
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return {
    child,
    ended,
    says: (text) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (stdout.includes(text)) resolve();
        };
        child.stdout?.on('data', look);
        void ended.then(() => resolve());
        look();
      }),
  };
}

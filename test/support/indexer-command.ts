import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Ended, type Running, watchProcess } from './child-process.js';

type Command = 'main' | 'snapshots' | 'rollback';

/** Starts a built command of the indexer on a data directory. */
export function startCommand(command: Command, dataDir: string, ...args: string[]): Running {
  return watchProcess(spawn(process.execPath, [commandFile(command), ...args], spawnOptions(dataDir)));
}

/** Runs a built command of the indexer to its end. */
export function runCommand(command: Command, dataDir: string, ...args: string[]): Promise<Ended> {
  return startCommand(command, dataDir, ...args).ended;
}

/** Runs the indexer with this maximum file size in KiB, so that writing fails as on a full disk. */
export function runIndexerWithin(kibibytes: number, dataDir: string, feed: string): Promise<Ended> {
  const script = `ulimit -f ${kibibytes}; exec "$0" "$@"`;
  const args = ['-c', script, process.execPath, commandFile('main'), feed];
  return watchProcess(spawn('bash', args, spawnOptions(dataDir))).ended;
}

function commandFile(command: Command): string {
  return fileURLToPath(new URL(`../../indexer/${command}.js`, import.meta.url));
}

function spawnOptions(dataDir: string) {
  const env = { ...process.env, DATA_DIR: dataDir, WORKERS: '1', TIME_ZONE: 'UTC', MODEL: '' };
  return { env, cwd: path.dirname(dataDir), stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] };
}

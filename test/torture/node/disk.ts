import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The disk under a data directory, which can be full or read-only. */
export interface Disk {
  readonly dataDir: string;
  /** How it is done here, in words. */
  readonly manner: string;
  /** Nothing more can be written by this process; `spare` bytes at most. */
  fill(pid: number, spare: number): void;
  /** @param pid of the process that was limited; null: it has ended */
  empty(pid: number | null): void;
  /** While no process has the data directory open. */
  setReadOnly(readOnly: boolean): void;
  remove(): void;
}

const BYTES = 512 * 1024 * 1024;

/**
 * A file system of its own in memory, where this user may mount one: full means ENOSPC for all. Elsewhere the same directory with
 * a limit on the size that the server's files may grow to (EFBIG), and permissions.
 */
export function makeDisk(workDir: string): Disk {
  const dataDir = join(workDir, 'data');
  mkdirSync(dataDir);
  return mounts(dataDir) ? memoryDisk(dataDir) : limitedDisk(dataDir);
}

function memoryDisk(dataDir: string): Disk {
  const remount = (options: string): void => run('mount', '-o', `remount,${options}`, dataDir);
  const empty = (): void => remount(`size=${BYTES}`);
  return {
    dataDir,
    manner: 'a file system in memory',
    fill(_, spare) {
      const { blocks, bfree, bsize } = statfsSync(dataDir);
      // What is written between these two lines makes the size too small, which is refused.
      for (let more = 0; ; more += 64 * 1024) {
        try {
          return remount(`size=${(blocks - bfree) * bsize + spare + more}`);
        } catch (error) {
          if (more > BYTES / 2) throw error;
        }
      }
    },
    empty,
    setReadOnly: (readOnly) => remount(readOnly ? 'ro' : 'rw'),
    remove: () => run('umount', '-l', dataDir),
  };
}

function limitedDisk(dataDir: string): Disk {
  const limit = (pid: number, bytes: string): void => run('prlimit', '--pid', String(pid), `--fsize=${bytes}:`);
  // A server that has ended by itself is somebody else's finding.
  const unlimit = (pid: number): void => void (existsSync(`/proc/${pid}`) && limit(pid, 'unlimited'));
  return {
    dataDir,
    manner: 'limits and permissions',
    fill: (pid, spare) => limit(pid, String(statSync(join(dataDir, 'ledger.sqlite-wal')).size + spare)),
    empty: (pid) => void (pid === null || unlimit(pid)),
    setReadOnly(readOnly) {
      if (!readOnly) chmodSync(dataDir, 0o700);
      for (const entry of readdirSync(dataDir, { withFileTypes: true })) {
        if (entry.isFile()) chmodSync(join(dataDir, entry.name), readOnly ? 0o400 : 0o600);
      }
      if (readOnly) chmodSync(dataDir, 0o500);
    },
    remove: () => undefined,
  };
}

function mounts(directory: string): boolean {
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${BYTES},mode=0700`, 'tmpfs', directory);
    return true;
  } catch {
    return false;
  }
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: 'ignore' });
}

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The disk under a data directory, which can be made full or read-only. */
export interface Disk {
  readonly dataDir: string;
  /** A description of the mechanism. */
  readonly manner: string;
  /** Leaves room for at most `spare` bytes to be written by this process. */
  fill(pid: number, spare: number): void;
  /** @param pid of the process that was limited; null if it has ended */
  empty(pid: number | null): void;
  /** Changes permissions; no process may have the data directory open. */
  setReadOnly(readOnly: boolean): void;
  remove(): void;
}

const BYTES = 512 * 1024 * 1024;

/**
 * Mounts a separate in-memory file system if this user may do so; when it is full, every write fails with ENOSPC.
 * Otherwise uses the plain directory, with a limit on the size of the server's files (EFBIG) and with permissions.
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
      // Data written between these two lines make the size too small, and the mount is refused.
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
  // The server may have ended by itself; another check reports that.
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

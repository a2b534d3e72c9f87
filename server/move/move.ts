import { warnOfOtherOwner } from '../../platform/files/data-directory.js';
import { hostname } from 'node:os';
import type { Actor } from '../../models/audit/actor.js';
import { recordAudit } from '../../models/audit/audit-log.js';
import type { DataLocation } from '../../platform/cluster/data-location.js';
import { lockCatalogue } from '../../models/snapshot/catalogue-lock.js';
import { LEDGER_FILE } from '../ledger/database.js';
import { lockDataDirectory } from '../stores/server-lock.js';
import type { Compared } from './compare.js';

/** The installation to move, and who moves it. */
export interface MoveOptions {
  readonly dataDir: string;
  /** As in `DATABASE_URL`. */
  readonly url: string;
  readonly by: Actor;
  /** Called before each step with its description. */
  readonly onStep?: (step: string) => void;
}

/** The result of a move. */
export interface Move {
  /** Every part, measured on both sides. If any differs, the move is not finished. */
  readonly compared: readonly Compared[];
  /** Whether an earlier run had finished the move, so that this one only compared. */
  readonly wasFinished: boolean;
}

/** One of the two places is in use, or holds data that would be overwritten; the message says what to do. */
export class MoveRefusedError extends Error {
  override readonly name = 'MoveRefusedError';
}

/** Runs `work` while no server can run on DATA_DIR. */
export async function withServerLock<R>(dataDir: string, work: () => Promise<R>): Promise<R> {
  warnOfOtherOwner(dataDir, (line) => void process.stderr.write(line));
  const server = await lockDataDirectory({ dataDir, waitMs: 0, onWait: () => {} }).catch((error: unknown) => {
    throw new MoveRefusedError(`DATA_DIR ${dataDir} is in use: stop the server first`, { cause: error });
  });
  try {
    return await work();
  } finally {
    server.release();
  }
}

/** Runs `work` while no process can publish or remove snapshots; with a database, no process of any node. */
export async function withCatalogueLock<R>(
  { dataDir, cluster = null }: DataLocation,
  work: () => Promise<R>,
): Promise<R> {
  const lock = await lockCatalogue(dataDir, () => {}, cluster);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** Records the move in the audit log, which moves too. */
export async function recordMove(
  location: DataLocation,
  { by, url }: MoveOptions,
  action: 'move to' | 'move from',
): Promise<void> {
  const [directory, database] = [directoryText(location.dataDir), databaseText(url)];
  const fields = {
    place: action === 'move to' ? { old: directory, new: database } : { old: database, new: directory },
  };
  const subject = { kind: 'ledger', name: LEDGER_FILE } as const;
  await recordAudit(location, [{ at: new Date().toISOString(), by, action, subject, fields }]);
}

/** Describes a DATA_DIR with its host name, for readers on another machine. */
export function directoryText(dataDir: string): string {
  return `${dataDir} of ${hostname()}`;
}

/** Describes a database without its user and password. */
function databaseText(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

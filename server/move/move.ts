import { hostname } from 'node:os';
import type { Actor } from '../../models/audit/actor.js';
import { recordAudit } from '../../models/audit/audit-log.js';
import type { Place } from '../../platform/cluster/place.js';
import { lockCatalogue } from '../../models/snapshot/catalogue-lock.js';
import { LEDGER_FILE } from '../ledger/database.js';
import { lockDataDirectory } from '../stores/server-lock.js';
import type { Compared } from './compare.js';

/** Which installation is moved, by whom. */
export interface MoveOptions {
  readonly dataDir: string;
  /** As in `DATABASE_URL`. */
  readonly url: string;
  readonly by: Actor;
  /** Told what is done next. */
  readonly onStep?: (step: string) => void;
}

/** What a move has come to. */
export interface Move {
  /** Everything, measured on both sides; where something differs, the move is not finished. */
  readonly compared: readonly Compared[];
  /** Whether an earlier run had finished it, so that this one has only compared. */
  readonly wasFinished: boolean;
}

/** Somebody else works on one of the two places, or holds what would be overwritten; the message says what to do. */
export class MoveRefusedError extends Error {
  override readonly name = 'MoveRefusedError';
}

/** Does something while neither a server nor the indexer runs on DATA_DIR. */
export async function alone<R>(dataDir: string, work: () => Promise<R>): Promise<R> {
  const server = await lockDataDirectory({ dataDir, waitMs: 0, onWait: () => {} }).catch((error: unknown) => {
    throw new MoveRefusedError(`DATA_DIR ${dataDir} is in use: stop the server first`, { cause: error });
  });
  try {
    return await work();
  } finally {
    server.release();
  }
}

/** While nobody publishes or removes snapshots; of a database, everywhere. */
export async function withCatalogue<R>({ dataDir, cluster = null }: Place, work: () => Promise<R>): Promise<R> {
  const lock = await lockCatalogue(dataDir, () => {}, cluster);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** The move stands in the log that is moved. */
export async function recordMove(
  place: Place,
  { by, url }: MoveOptions,
  action: 'move to' | 'move from',
): Promise<void> {
  const [directory, database] = [directoryText(place.dataDir), databaseText(url)];
  const fields = {
    place: action === 'move to' ? { old: directory, new: database } : { old: database, new: directory },
  };
  const subject = { kind: 'ledger', name: LEDGER_FILE } as const;
  await recordAudit(place, [{ at: new Date().toISOString(), by, action, subject, fields }]);
}

/** For people of another machine. */
export function directoryText(dataDir: string): string {
  return `${dataDir} of ${hostname()}`;
}

/** Without user and password. */
function databaseText(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

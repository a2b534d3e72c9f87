import path from 'node:path';
import { type Cluster, openForMoving } from '../../platform/cluster/cluster.js';
import { markAsCopy, copiedFrom, findInstallationFile } from '../../platform/cluster/copy-mark.js';
import { sharedFiles } from '../../platform/cluster/files.js';
import { type MoveMark, moveIdOf, readMoveMark, writeMoveMark } from '../../platform/cluster/move-mark.js';
import { measureParts, replaceParts } from '../../platform/cluster/documents-and-logs.js';
import { inTransaction } from '../../platform/cluster/transaction.js';
import { LEDGER_FILE, openForReading, openForWriting } from '../ledger/database.js';
import type { LedgerDatabase } from '../ledger/tables/ledger-database.js';
import { copyCatalogue } from './catalogue.js';
import { compare, isEqual, type Ledgers } from './compare.js';
import { copyLedger, filledTable } from './copy-ledger.js';
import {
  withServerLock,
  directoryText,
  type Move,
  type MoveOptions,
  MoveRefusedError,
  recordMove,
  withCatalogueLock,
} from './move.js';
import { alignLogs, readParts } from './parts.js';

/**
 * Copies the installation in DATA_DIR into an empty database and compares the two. The database is marked before
 * anything is copied, and no server starts on it until both are equal; then DATA_DIR becomes the copy of its first
 * node. An interrupted move is completed by running it again.
 *
 * @throws MoveRefusedError while a server runs on either, and for a database that holds another installation
 */
export async function moveToDatabase(options: MoveOptions): Promise<Move> {
  const { dataDir, url } = options;
  if (findInstallationFile(dataDir) === undefined)
    throw new MoveRefusedError(`there is no installation in DATA_DIR ${dataDir}`);
  return withServerLock(dataDir, async () => {
    const cluster = await openForMoving({ url, dataDir });
    const ledgers: Ledgers = {
      file: openForReading({ file: path.join(dataDir, LEDGER_FILE) }),
      database: openForWriting({ url }, LOCK_MS),
    };
    try {
      return await withCatalogueLock({ dataDir }, () => move(cluster, ledgers, options));
    } finally {
      ledgers.file.close();
      ledgers.database.close();
      await cluster.close();
    }
  });
}

const LOCK_MS = 10_000;

async function move(cluster: Cluster, ledgers: Ledgers, options: MoveOptions): Promise<Move> {
  const { dataDir, onStep = () => {} } = options;
  ledgers.database.refuseWhileServed();
  onStep('marking the database');
  const mark = await markDatabase(cluster, ledgers.database);
  const wasFinished = mark.finished !== null;
  if (!wasFinished) {
    await recordMove({ dataDir }, options, 'move to');
    onStep('copying keys, campaigns and logs');
    await replaceParts(cluster, await readParts(dataDir));
    onStep('copying snapshots and images');
    await copyCatalogue(cluster);
    copyLedger(ledgers.file, ledgers.database, (table) => onStep(`copying the ledger: ${table}`));
  }
  onStep('comparing');
  const compared = await compare(cluster, ledgers, 'DATA_DIR');
  ledgers.database.refuseWhileServed();
  if (!wasFinished && compared.every(isEqual)) {
    onStep('making DATA_DIR a copy of the database');
    await alignLogs(dataDir);
    await markAsCopy(dataDir, cluster.id);
    onStep('releasing the database');
    const finished = { ...mark, finished: new Date().toISOString() };
    await inTransaction(cluster.pool, (transaction) => writeMoveMark(transaction, finished));
  }
  return { compared, wasFinished };
}

/** Claims an empty database for this move, or one that an earlier run of it has claimed. @throws MoveRefusedError */
async function markDatabase(cluster: Cluster, ledger: LedgerDatabase): Promise<MoveMark> {
  const { dataDir } = cluster;
  const id = await moveIdOf(dataDir);
  return inTransaction(cluster.pool, async (transaction) => {
    // A node that starts at the same time waits, and then finds the mark.
    await transaction.query('lock table shared_parts in share row exclusive mode');
    const known = await readMoveMark(transaction);
    if (known?.direction === 'here' && known.id === id) return known;
    const held = known === null ? await heldBy(cluster, ledger) : `that of ${known.directory}`;
    const advice = 'name an empty database, or empty it by "drop schema adjacent cascade"';
    if (held !== undefined) {
      throw new MoveRefusedError(`the database holds another installation (${held}): ${advice}`);
    }
    if (copiedFrom(dataDir) !== null) {
      throw new MoveRefusedError(
        `DATA_DIR ${dataDir} is a node's copy of a database: move from that with --from first`,
      );
    }
    const mark = { direction: 'here', id, directory: directoryText(dataDir), finished: null } as const;
    await writeMoveMark(transaction, mark);
    return mark;
  });
}

async function heldBy(cluster: Cluster, ledger: LedgerDatabase): Promise<string | undefined> {
  const [part] = (await measureParts(cluster)).keys();
  const [file] = await sharedFiles(cluster);
  return part ?? file?.path ?? filledTable(ledger);
}

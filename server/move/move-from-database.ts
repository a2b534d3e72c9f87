import { existsSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { type Cluster, openCluster, openForMoving } from '../../platform/cluster/cluster.js';
import { removeCopyMark, copiedFrom, findInstallationFile } from '../../platform/cluster/copy-mark.js';
import { type MoveMark, moveIdOf, readMoveMark, writeMoveMark } from '../../platform/cluster/move-mark.js';
import { measureParts } from '../../platform/cluster/documents-and-logs.js';
import { inTransaction } from '../../platform/cluster/transaction.js';
import { fetchCatalogue } from '../../models/snapshot/fetch-catalogue.js';
import { makeDataDirectory } from '../../platform/files/data-directory.js';
import { moveDurably } from '../../platform/files/durable.js';
import { removePart, timeInName } from '../ledger/backup/backup.js';
import { LEDGER_FILE, openForReading } from '../ledger/database.js';
import type { LedgerDatabase } from '../ledger/tables/ledger-database.js';
import { KEPT_SUFFIX, openFileForWriting } from '../ledger/sqlite/sqlite-file.js';
import { compare, isEqual } from './compare.js';
import { copyLedger } from './copy-ledger.js';
import {
  withServerLock,
  directoryText,
  type Move,
  type MoveOptions,
  MoveRefusedError,
  recordMove,
  withCatalogueLock,
} from './move.js';
import { DEMO_KEY } from './parts.js';

/**
 * Copies the installation in a database into a DATA_DIR, which is empty or belongs to one of its nodes, and compares
 * the two. Until both are equal, DATA_DIR is a node's copy, on which no server starts without the database. From then
 * on, no node starts on the database. An interrupted move is completed by running it again.
 *
 * @throws MoveRefusedError while a server runs on either, and for a DATA_DIR that holds another installation
 */
export async function moveFromDatabase(options: MoveOptions): Promise<Move> {
  const { dataDir, url } = options;
  makeDataDirectory(dataDir);
  return withServerLock(dataDir, async () => {
    const ledger = await openSource(options);
    try {
      const id = await moveIdOf(dataDir);
      if (await isFinished(options, id)) return await compareOnly(options, ledger);
      const cluster = await openCluster({ url, dataDir, movedTo: id });
      try {
        return await move(cluster, ledger, id, options);
      } finally {
        await cluster.close();
      }
    } finally {
      ledger.close();
    }
  });
}

async function move(cluster: Cluster, source: LedgerDatabase, id: string, options: MoveOptions): Promise<Move> {
  const { dataDir, onStep = () => {} } = options;
  onStep('copying keys, campaigns and logs');
  await recordMove({ dataDir, cluster }, options, 'move from');
  await cluster.refresh();
  onStep('copying snapshots and images');
  const compared = await withCatalogueLock({ dataDir, cluster }, async () => {
    // Nobody is about to share what an interrupted index run has left here.
    await fetchCatalogue(cluster, false);
    await fillLedger(dataDir, source, onStep);
    onStep('comparing');
    return compareWith(cluster, source);
  });
  if (compared.every(isEqual)) {
    onStep('marking the database as left');
    const mark = {
      direction: 'away',
      id,
      directory: directoryText(dataDir),
      finished: new Date().toISOString(),
    } as const;
    await inTransaction(cluster.pool, (transaction) => writeMoveMark(transaction, mark));
    // A node that started in the meantime has not seen the mark.
    source.refuseWhileServed();
    onStep('making DATA_DIR an installation of its own');
    await rm(path.join(dataDir, DEMO_KEY), { force: true });
    await removeCopyMark(dataDir);
  }
  return { compared, wasFinished: false };
}

/**
 * Copies the ledger into a file beside the final one, and then renames it. Keeps an existing ledger as a restore does.
 */
async function fillLedger(dataDir: string, source: LedgerDatabase, onStep: (step: string) => void): Promise<void> {
  const file = path.join(dataDir, LEDGER_FILE);
  const part = `${file}.part`;
  removePart(part);
  const target = openFileForWriting(part, 0);
  try {
    copyLedger(source, target, (table) => onStep(`copying the ledger: ${table}`));
    // Copies the log into the file.
    target.refuseWhileServed();
  } finally {
    target.close();
  }
  onStep('putting the ledger in place');
  const kept = `${file}${KEPT_SUFFIX}${timeInName(Date.now())}`;
  for (const suffix of ['-wal', '-shm', '']) if (existsSync(file + suffix)) renameSync(file + suffix, kept + suffix);
  await moveDurably(part, file);
}

/** Opens the ledger to move. @throws MoveRefusedError when the database has no installation, or servers run on it */
async function openSource({ url, dataDir }: MoveOptions): Promise<LedgerDatabase> {
  const cluster = await openForMoving({ url, dataDir });
  const parts = await measureParts(cluster).finally(() => cluster.close());
  if (parts.size === 0) throw new MoveRefusedError('there is no installation in the database');
  const ledger = openForReading({ url });
  try {
    ledger.refuseWhileServed();
    return ledger;
  } catch (error) {
    ledger.close();
    throw error;
  }
}

/**
 * Returns whether an earlier run has completed the move: the database is marked as moved to this DATA_DIR, which stands
 * alone.
 */
async function isFinished({ url, dataDir }: MoveOptions, id: string): Promise<boolean> {
  if (copiedFrom(dataDir) !== null || findInstallationFile(dataDir) === undefined) return false;
  const cluster = await openForMoving({ url, dataDir });
  const mark = await inTransaction<MoveMark | null>(cluster.pool, readMoveMark).finally(() => cluster.close());
  return mark?.direction === 'away' && mark.id === id;
}

async function compareOnly({ url, dataDir }: MoveOptions, source: LedgerDatabase): Promise<Move> {
  const cluster = await openForMoving({ url, dataDir });
  try {
    return { compared: await withCatalogueLock({ dataDir }, () => compareWith(cluster, source)), wasFinished: true };
  } finally {
    await cluster.close();
  }
}

async function compareWith(cluster: Cluster, database: LedgerDatabase) {
  const file = openForReading({ file: path.join(cluster.dataDir, LEDGER_FILE) });
  try {
    return await compare(cluster, { file, database }, 'database');
  } finally {
    file.close();
  }
}

import { existsSync } from 'node:fs';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { layoutOf, MANIFEST, snapshotDirectory } from './layout.js';
import path from 'node:path';
import { loadSearchable } from './load-snapshot.js';
import { type NewEntry, addToHistory } from './history.js';
import { shareLandingUrls } from './landing-urls.js';
import { readCreatives } from './read-creatives.js';
import { shareSnapshot } from './shared-catalogue.js';
import { liveForAll, type PointerEntry, readPublications, writePointer } from './pointer.js';
import type { ExpectedEncoder } from './stored-creatives.js';

/** More than the snapshots that are kept, so that removed snapshots drop out of the pointer without further work. */
const MAX_PUBLICATIONS = 20;

/** When a publication takes place, and who makes it. */
export interface PublishOptions {
  readonly now?: Date;
  /** Who publishes, as text for the history; null: not recorded. */
  readonly by?: string | null;
  /**
   * Called when the snapshot is published but the history could not be written. The next publication adds the entry,
   * without the person.
   */
  readonly onHistoryFault?: (error: Error) => void;
  /** The snapshot that was live when this one was built on it; null: none was. Absent: replace whatever is live. */
  readonly builtOn?: string | null;
  /** The cluster to publish for; null (the default) for a single node. */
  readonly cluster?: Cluster | null;
}

export interface RollbackOptions extends PublishOptions {
  /**
   * Checks the snapshot before the pointer moves. By default it is loaded as the server loads it, and dropped.
   *
   * @throws SnapshotFaultError when the snapshot must not go live
   */
  readonly verify?: (id: string) => Promise<unknown>;
}

/** Makes a kept snapshot live. The caller holds the catalogue lock. */
export async function publish(dataDir: string, id: string, options: PublishOptions = {}): Promise<void> {
  const before = await readPublications(dataDir);
  const { cluster = null, builtOn } = options;
  if (before[0]?.id === id && (cluster === null || ((await liveForAll(cluster)) ?? id) === id)) {
    // The snapshot is already live and keeps its publication time. Share it again, in case the database has lost it.
    if (cluster !== null) await shareForAll(cluster, id);
    return;
  }
  // This node may have followed another node's publication since; publishing would undo that node's rows.
  if (builtOn !== undefined && (before[0]?.id ?? null) !== builtOn) {
    throw new Error('another run has published meanwhile; nothing was changed: run the same command again');
  }
  if (cluster !== null) await shareForAll(cluster, id);
  const live = { id, publishedAt: (options.now ?? new Date()).toISOString() };
  await writePointer(
    dataDir,
    before,
    [live, ...before.filter((other) => other.id !== id)].slice(0, MAX_PUBLICATIONS),
    cluster,
  );
  await record(dataDir, live, before, 'publish', options);
}

/**
 * Makes an earlier snapshot live again after the same checks that the server makes. The caller holds the catalogue
 * lock.
 *
 * @param id the snapshot to go back to; by default the one that was live before
 * @returns the id that is now live
 * @throws NoSuchSnapshotError, or SnapshotFaultError when the snapshot is damaged or of another encoder
 */
export async function rollback(
  dataDir: string,
  encoder: ExpectedEncoder,
  id?: string,
  options: RollbackOptions = {},
): Promise<string> {
  const before = await readPublications(dataDir);
  const target = id ?? before.slice(1).find((earlier) => isKept(dataDir, earlier.id))?.id;
  if (target === undefined) throw new NoSuchSnapshotError('there is no earlier snapshot to go back to');
  if (!isKept(dataDir, target)) throw new NoSuchSnapshotError(`there is no snapshot ${target}`);
  const { cluster = null, verify = (kept) => loadSearchable(snapshotDirectory(dataDir, kept), encoder) } = options;
  await verify(target);
  if (cluster !== null) await shareForAll(cluster, target);
  // Snapshots that were live after the target are dropped from the pointer, so that a second rollback does not go
  // forward.
  const index = before.findIndex((earlier) => earlier.id === target);
  const live = { id: target, publishedAt: (options.now ?? new Date()).toISOString() };
  await writePointer(dataDir, before, [live, ...(index < 0 ? before : before.slice(index + 1))], cluster);
  await record(dataDir, live, before, 'rollback', options);
  return target;
}

/** Shares everything that a node needs for a snapshot's ads before the first of them can be served. */
async function shareForAll(cluster: Cluster, id: string): Promise<void> {
  await shareSnapshot(cluster, id);
  await shareLandingUrls(cluster, await readCreatives(cluster.dataDir, id));
}

async function record(
  dataDir: string,
  live: PointerEntry,
  before: readonly PointerEntry[],
  how: NewEntry['how'],
  { by = null, onHistoryFault, cluster = null }: PublishOptions,
): Promise<void> {
  try {
    await addToHistory(dataDir, { live, how, by, before, cluster });
  } catch (error) {
    onHistoryFault?.(error as Error);
  }
}

/** No kept snapshot has the requested id. */
export class NoSuchSnapshotError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoSuchSnapshotError';
  }
}

function isKept(dataDir: string, id: string): boolean {
  const directory = snapshotDirectory(dataDir, id);
  return path.dirname(directory) === layoutOf(dataDir).snapshots && existsSync(path.join(directory, MANIFEST));
}

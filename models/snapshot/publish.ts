import { existsSync } from 'node:fs';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { layoutOf, MANIFEST, snapshotDirectory } from './layout.js';
import path from 'node:path';
import { loadSearchable } from './load-snapshot.js';
import { type NewEntry, addToHistory } from './history.js';
import { shareLandingUrls } from './landing-urls.js';
import { readCreatives } from './read-creatives.js';
import { shareSnapshot } from './shared-catalogue.js';
import { liveForAll, type Publication, readPublications, writePointer } from './pointer.js';
import type { ExpectedEncoder } from './stored-creatives.js';

/** Longer than what is kept, so that what was pruned drops out of it by itself. */
const MAX_PUBLICATIONS = 20;

/** When, and by whom. */
export interface PublishOptions {
  readonly now?: Date;
  /** For the history, in words; null: not noted. */
  readonly by?: string | null;
  /** Called when the publication stands but the history could not be written; the next one adds it, without its person. */
  readonly onHistoryFault?: (error: Error) => void;
  /** What was live when the snapshot was built on it; null: nothing was. Absent: whatever is live is replaced. */
  readonly builtOn?: string | null;
  /** The nodes that it is published for; null, the default: this one is alone. */
  readonly cluster?: Cluster | null;
}

/** Makes a kept snapshot the live one. The caller holds the catalogue lock. */
export async function publish(dataDir: string, id: string, options: PublishOptions = {}): Promise<void> {
  const before = await readPublications(dataDir);
  const { cluster = null, builtOn } = options;
  if (before[0]?.id === id && (cluster === null || ((await liveForAll(cluster)) ?? id) === id)) {
    // Published again without a change, it has been live since it was first. What nodes share may have lost it since.
    if (cluster !== null) await shareForAll(cluster, id);
    return;
  }
  // This node may have followed another's publication meanwhile: its rows would be undone.
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
 * Makes an earlier snapshot live again, after checking it as the server will. The caller holds the catalogue lock.
 *
 * @param id the snapshot to go to; by default the one that was live before
 * @returns the id that is live now
 * @throws NoSuchSnapshotError, or SnapshotFaultError when it is damaged or of another encoder
 */
export async function rollback(
  dataDir: string,
  encoder: ExpectedEncoder,
  id?: string,
  options: PublishOptions = {},
): Promise<string> {
  const before = await readPublications(dataDir);
  const target = id ?? before.slice(1).find((earlier) => isKept(dataDir, earlier.id))?.id;
  if (target === undefined) throw new NoSuchSnapshotError('there is no earlier snapshot to go back to');
  if (!isKept(dataDir, target)) throw new NoSuchSnapshotError(`there is no snapshot ${target}`);
  await loadSearchable(snapshotDirectory(dataDir, target), encoder);
  const { cluster = null } = options;
  if (cluster !== null) await shareForAll(cluster, target);
  // What was live after the target is no longer "before": going back once more must not go forward.
  const place = before.findIndex((earlier) => earlier.id === target);
  const live = { id: target, publishedAt: (options.now ?? new Date()).toISOString() };
  await writePointer(dataDir, before, [live, ...(place < 0 ? before : before.slice(place + 1))], cluster);
  await record(dataDir, live, before, 'rollback', options);
  return target;
}

/** All that a node needs to answer for a snapshot's ads is shared before the first of them can be answered. */
async function shareForAll(cluster: Cluster, id: string): Promise<void> {
  await shareSnapshot(cluster, id);
  await shareLandingUrls(cluster, await readCreatives(cluster.dataDir, id));
}

async function record(
  dataDir: string,
  live: Publication,
  before: readonly Publication[],
  how: NewEntry['how'],
  { by = null, onHistoryFault, cluster = null }: PublishOptions,
): Promise<void> {
  try {
    await addToHistory(dataDir, { live, how, by, before, cluster });
  } catch (error) {
    onHistoryFault?.(error as Error);
  }
}

/** Nothing is kept under the id that was asked for. */
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

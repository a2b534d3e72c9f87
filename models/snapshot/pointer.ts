import { readFile } from 'node:fs/promises';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { changeDocument, readDocument } from '../../platform/cluster/documents.js';
import type { Transaction } from '../../platform/cluster/transaction.js';
import { replaceDurably } from '../../platform/files/durable.js';
import { layoutOf, POINTER, SNAPSHOTS } from './layout.js';

/** A snapshot that was made live, and when (RFC 3339); null where an older version did not note it. */
export interface Publication {
  readonly id: string;
  readonly publishedAt: string | null;
}

// Only what looks like an id: whatever stands in the file becomes a path.
const LINE = /^([0-9a-f]{16})(?: (\S+))?$/;

/**
 * Reads the pointer: snapshots, one a line, the live one first and below it those that were live before, latest first.
 * Empty when nothing was ever published.
 */
export async function readPublications(dataDir: string): Promise<readonly Publication[]> {
  try {
    return publicationsIn(await readFile(layoutOf(dataDir).current, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The publications that a pointer's text names. */
export function publicationsIn(text: string): readonly Publication[] {
  return text.split('\n').flatMap((line) => {
    const [, id, publishedAt = null] = LINE.exec(line) ?? [];
    return id === undefined ? [] : [{ id, publishedAt }];
  });
}

/** The ids alone. */
export async function readPointer(dataDir: string): Promise<readonly string[]> {
  return (await readPublications(dataDir)).map(({ id }) => id);
}

/**
 * Moves the pointer by one rename; that of several nodes in their database, where it stands whether or not this node can write
 * its own: its server follows as the others do. The caller holds the catalogue lock.
 *
 * @param before what it says now
 * @throws Error when another node has moved it, since this one lost the database's lock
 */
export async function writePointer(
  dataDir: string,
  before: readonly Publication[],
  publications: readonly Publication[],
  cluster: Cluster | null,
): Promise<void> {
  const lines = publications.map(({ id, publishedAt }) => (publishedAt === null ? id : `${id} ${publishedAt}`));
  const text = lines.map((line) => `${line}\n`).join('');
  if (cluster !== null) await moveForAll(cluster, before, text);
  await replaceDurably(layoutOf(dataDir).current, text).catch((error: Error) => {
    // As on a full disk. For all nodes it is published; `requireFollowed` tells whoever goes by this one's pointer.
    if (cluster === null) throw error;
  });
}

/** What is live for all nodes; undefined: nothing was ever published. */
export async function liveForAll(cluster: Cluster): Promise<string | undefined> {
  return publicationsIn((await readDocument(cluster, POINTER)) ?? '')[0]?.id;
}

/** @throws Error when this node's pointer names another snapshot than that of all nodes */
export async function requireFollowed(dataDir: string, cluster: Cluster): Promise<void> {
  const [live, [here]] = await Promise.all([liveForAll(cluster), readPointer(dataDir)]);
  if (live === undefined || live === here) return;
  throw new Error(
    `live is ${live}, which this node's own pointer does not name: its disk is full, or another node has published; its server follows by itself as soon as it can`,
  );
}

async function moveForAll(cluster: Cluster, before: readonly Publication[], text: string): Promise<void> {
  await changeDocument(cluster, POINTER, async (known, transaction) => {
    const live = publicationsIn(known ?? '')[0]?.id;
    // What nobody shares, no node can follow to: it must not keep all of them from publishing.
    if (live === before[0]?.id || (live !== undefined && !(await isShared(transaction, live)))) {
      return { text, result: undefined };
    }
    throw new Error('another node has published meanwhile; nothing was changed: run the same command again');
  });
}

async function isShared(transaction: Transaction, id: string): Promise<boolean> {
  const { rows } = await transaction.query('select 1 from shared_files where starts_with(path, $1) limit 1', [
    `${SNAPSHOTS}/${id}/`,
  ]);
  return rows.length > 0;
}

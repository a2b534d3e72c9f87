import { readFile } from 'node:fs/promises';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { changeDocument, readDocument } from '../../platform/cluster/documents.js';
import type { Transaction } from '../../platform/cluster/transaction.js';
import { replaceDurably } from '../../platform/files/durable.js';
import { layoutOf, POINTER, SNAPSHOTS } from './layout.js';

/** A snapshot that went live, and when (RFC 3339); null if an older version did not record the time. */
export interface PointerEntry {
  readonly id: string;
  readonly publishedAt: string | null;
}

// Accepts only text shaped like an id, because it becomes part of a path.
const LINE = /^([0-9a-f]{16})(?: (\S+))?$/;

/**
 * Reads the pointer: one snapshot per line, the live one first, then earlier live ones, latest first. Empty if nothing
 * was ever published.
 */
export async function readPublications(dataDir: string): Promise<readonly PointerEntry[]> {
  try {
    return publicationsIn(await readFile(layoutOf(dataDir).current, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Parses the text of a pointer. */
export function publicationsIn(text: string): readonly PointerEntry[] {
  return text.split('\n').flatMap((line) => {
    const [, id, publishedAt = null] = LINE.exec(line) ?? [];
    return id === undefined ? [] : [{ id, publishedAt }];
  });
}

/** Reads the pointer's ids. */
export async function readPointer(dataDir: string): Promise<readonly string[]> {
  return (await readPublications(dataDir)).map(({ id }) => id);
}

/**
 * Replaces the pointer with one rename. With a cluster, it first moves the shared pointer in the database. That
 * publication holds even if this node cannot write its own pointer: its server then follows as the others do. The
 * caller holds the catalogue lock.
 *
 * @param before the current content
 * @throws Error when another node has moved the pointer since this one lost the database lock
 */
export async function writePointer(
  dataDir: string,
  before: readonly PointerEntry[],
  publications: readonly PointerEntry[],
  cluster: Cluster | null,
): Promise<void> {
  const lines = publications.map(({ id, publishedAt }) => (publishedAt === null ? id : `${id} ${publishedAt}`));
  const text = lines.map((line) => `${line}\n`).join('');
  if (cluster !== null) await moveForAll(cluster, before, text);
  await replaceDurably(layoutOf(dataDir).current, text).catch((error: Error) => {
    // The disk may be full. The snapshot is published for all nodes; callers that need this node's pointer use
    // `requireFollowed`.
    if (cluster === null) throw error;
  });
}

/** Returns the id that is live for all nodes; undefined if nothing was ever published. */
export async function liveForAll(cluster: Cluster): Promise<string | undefined> {
  return publicationsIn((await readDocument(cluster, POINTER)) ?? '')[0]?.id;
}

/** Checks that this node's pointer names the snapshot that is live for all nodes. @throws Error when it does not */
export async function requireFollowed(dataDir: string, cluster: Cluster): Promise<void> {
  const [live, [here]] = await Promise.all([liveForAll(cluster), readPointer(dataDir)]);
  if (live === undefined || live === here) return;
  throw new Error(
    `snapshot ${live} is live, but this node's pointer does not name it: its disk is full, or another node has published; its server follows as soon as it can`,
  );
}

async function moveForAll(cluster: Cluster, before: readonly PointerEntry[], text: string): Promise<void> {
  await changeDocument(cluster, POINTER, async (known, transaction) => {
    const live = publicationsIn(known ?? '')[0]?.id;
    // No node can follow a pointer to a snapshot that is not shared; such a pointer must not block further
    // publications.
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

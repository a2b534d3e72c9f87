import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { changeDocument } from '../../platform/cluster/documents.js';
import type { Creative } from '../schema/creative.js';
import { sourceOf } from '../schema/source.js';
import { replaceDurably } from '../../platform/files/durable.js';
import { type LandingUrls, NO_TABLE, parseTable, tableText } from './landing-urls-format.js';
import { sha256 } from '../../platform/text/sha256.js';
import { LANDING_URLS, layoutOf } from './layout.js';

/** A table with the text from which it was parsed. */
export interface StoredLandingUrls {
  readonly table: LandingUrls;
  /** Null: there was no table. */
  readonly text: string | null;
  /** A sentence on what a damaged table has lost; null: it is intact. */
  readonly damage: string | null;
}

/**
 * Reads the table of landing URLs.
 *
 * @returns the table; empty if there is none yet
 * @throws Error when the file is not a valid table
 */
export async function readLandingUrls(dataDir: string): Promise<LandingUrls> {
  const file = layoutOf(dataDir).landingUrls;
  try {
    return await parseTable(await readFile(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NO_TABLE;
    const advice = 'the next index run rebuilds it from the kept snapshots';
    throw new Error(`${file} cannot be used (${(error as Error).message}); ${advice}`, { cause: error });
  }
}

/**
 * Returns the table with its text, for a caller that replaces it by what the kept snapshots name. A damaged table
 * counts as empty: its text is kept beside it, since only it, or a backup, has the landing URLs of creatives that left.
 *
 * @throws Error when the file cannot be read, or its text cannot be kept
 */
export async function readLandingUrlsToReplace(dataDir: string): Promise<StoredLandingUrls> {
  const file = layoutOf(dataDir).landingUrls;
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return { table: NO_TABLE, text, damage: null };
  try {
    return { table: await parseTable(text), text, damage: null };
  } catch (error) {
    const digest = sha256(text).slice(0, 12);
    const kept = `${file}.damaged-${digest}`;
    await replaceDurably(kept, text);
    const damage =
      `${file} was damaged (${(error as Error).message}) and is rebuilt from the kept snapshots. Links of ads that ` +
      `are in none of them return 404. The damaged table is kept as ${path.basename(kept)}.`;
    return { table: NO_TABLE, text, damage };
  }
}

/** Returns when the table was last replaced, in epoch milliseconds; 0 if there is none. */
export async function landingUrlsChangedAt(dataDir: string): Promise<number> {
  const stats = await stat(layoutOf(dataDir).landingUrls).catch(() => null);
  return stats?.mtimeMs ?? 0;
}

/** The cluster that shares a table, and the text from which this node derived its new table; null: there was none. */
export interface SharedLandingUrls {
  readonly cluster: Cluster;
  readonly madeOf: string | null;
}

/**
 * Replaces the table if it differs. The caller holds the catalogue lock.
 *
 * @param shared null for a single node
 * @throws Error when another node has changed the shared table since and this node has lost the lock; nothing is
 *   changed then
 */
export async function writeLandingUrls(
  dataDir: string,
  table: LandingUrls,
  shared: SharedLandingUrls | null,
): Promise<void> {
  const text = tableText(table);
  if (shared !== null) {
    return changeDocument(shared.cluster, LANDING_URLS, async (known) => {
      if (known === null || known === shared.madeOf) return { text, result: undefined };
      throw new Error('the shared landing URLs have changed since this node read them; nothing was changed');
    });
  }
  const file = layoutOf(dataDir).landingUrls;
  if (text !== (await readFile(file, 'utf8').catch(() => ''))) await replaceDurably(file, text);
}

/**
 * Adds a snapshot's creatives to the table that nodes share before the snapshot goes live: a node that has not loaded
 * it yet may get clicks on its ads. Creatives already in the table keep their address until then. A damaged table is
 * left as it is; the next removal of outdated data replaces it. The caller holds the catalogue lock.
 */
export async function shareLandingUrls(cluster: Cluster, added: Iterable<Creative>): Promise<void> {
  await changeDocument(cluster, LANDING_URLS, async (before) => {
    const table = before === null ? NO_TABLE : await parseTable(before).catch(() => null);
    if (table === null) return { text: before, result: undefined };
    const creatives = new Map(table.creatives);
    let isNew = false;
    for (const creative of added) {
      const { id, landingUrl } = creative;
      // A creative that may still be clicked keeps its address until the snapshot is live.
      if (creatives.has(id)) continue;
      creatives.set(id, { landingUrl, leftAt: null, source: sourceOf(creative) });
      isNew = true;
    }
    return { text: isNew ? tableText({ ...table, creatives }) : before, result: undefined };
  });
}

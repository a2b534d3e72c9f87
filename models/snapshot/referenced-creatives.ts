import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Creative } from '../schema/creative.js';
import { listSnapshots } from './kept-snapshots.js';
import { snapshotDirectory } from './layout.js';
import { type KnownCreatives, linesOf } from './read-creatives.js';

/** What the snapshots on disk name. */
export interface ReferencedCreatives {
  readonly kept: ReadonlyMap<string, Creative>;
  /** From snapshots that are about to be removed. */
  readonly removed: ReadonlyMap<string, Creative>;
  /** Image files of the snapshots that are kept. */
  readonly images: ReadonlySet<string>;
}

/**
 * Reads what all snapshots on disk name, by id; a later one's address wins.
 *
 * @param surplusIds snapshots that are about to be removed
 * @param known creatives already in memory
 */
export async function referencedBySnapshots(
  dataDir: string,
  surplusIds: ReadonlySet<string>,
  known: KnownCreatives,
): Promise<ReferencedCreatives> {
  const staying = new Map<string, Creative>();
  const leaving = new Map<string, Creative>();
  const images = new Set<string>();
  // The live snapshot is read last, so that its address wins where snapshots differ.
  for (const { id } of (await listSnapshots(dataDir)).toReversed()) {
    for (const creative of known.get(id) ?? (await creativesOf(dataDir, id))) {
      (surplusIds.has(id) ? leaving : staying).set(creative.id, creative);
      if (!surplusIds.has(id) && creative.imageFile !== null) images.add(creative.imageFile);
    }
  }
  return { kept: staying, removed: leaving, images };
}

/** Reads the creatives of a snapshot; of a damaged one, those on readable lines. */
async function creativesOf(dataDir: string, id: string): Promise<Creative[]> {
  const bytes = await readFile(path.join(snapshotDirectory(dataDir, id), 'creatives.jsonl')).catch(
    () => new Uint8Array(),
  );
  const creatives: Creative[] = [];
  for await (const line of linesOf(bytes)) {
    try {
      creatives.push(JSON.parse(line) as Creative);
    } catch {
      // The other lines still count.
    }
  }
  return creatives;
}

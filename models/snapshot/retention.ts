import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { removeOldDrafts } from '../../platform/files/durable.js';
import type { Creative } from '../schema/creative.js';
import { DEFAULT_SOURCE, sourceOf } from '../schema/source.js';
import { listImages, removeImage } from './images.js';
import { listSnapshots, removeSnapshot, surplusSnapshots } from './kept-snapshots.js';
import { type LandingUrl, readLandingUrlsToReplace, writeLandingUrls } from './landing-urls.js';
import { layoutOf, snapshotDirectory } from './layout.js';
import { requireFollowed } from './pointer.js';
import { type KnownCreatives, linesOf } from './read-creatives.js';
import { unshareCatalogue } from './shared-catalogue.js';

/** Default click window: how long after its decision a click still leads to the advertiser. */
export const CLICK_WINDOW_MS = 30 * 24 * 3_600_000;

/** Options of a removal. */
export interface RetentionOptions {
  readonly clickWindowMs?: number;
  /** Default: one node, which shares nothing. */
  readonly cluster?: Cluster | null;
  /** Creatives of kept snapshots already in memory; the others are read. */
  readonly known?: KnownCreatives;
  /** Receives a sentence when links stop working that should not, or did so. */
  readonly onLostLinks?: (message: string) => void;
  /** About how many characters the table of landing URLs may have. */
  readonly maxCharacters?: number;
}

/** Counts of removed items. */
export interface Removed {
  readonly snapshots: number;
  readonly images: number;
}

/**
 * Removes what can no longer be requested: snapshots beyond the number to keep, and images and landing URLs whose
 * last kept snapshot was removed longer ago than the click window. The table is written first, so that a creative's
 * address is never lost with its snapshot. The caller holds the catalogue lock.
 *
 * @param now epoch milliseconds
 * @throws Error when another node has published or cleaned up since, or this node could not follow its own publication;
 *   what nodes share stays unchanged then
 */
export async function removeOutdated(dataDir: string, now: number, retention: RetentionOptions = {}): Promise<Removed> {
  const {
    clickWindowMs = CLICK_WINDOW_MS,
    cluster = null,
    known = new Map(),
    onLostLinks = () => {},
    maxCharacters = MAX_CHARACTERS,
  } = retention;
  // Otherwise images and addresses of the snapshot that is live for all nodes could count as unused.
  if (cluster !== null) await requireFollowed(dataDir, cluster);
  const surplus = await surplusSnapshots(dataDir);
  const surplusIds = new Set(surplus.map(({ id }) => id));
  const named = await referencedBySnapshots(dataDir, surplusIds, known);
  const { table: before, text: madeOf, damage } = await readLandingUrlsToReplace(dataDir);
  const stored = await listImages(dataDir);
  await removeOldDrafts(layoutOf(dataDir).images, now);
  const isOver = (leftAt: string): boolean => Date.parse(leftAt) + clickWindowMs <= now;
  const leavingNow = new Date(now).toISOString();

  const creatives = new Map<string, LandingUrl>();
  const keep = (id: string, entry: LandingUrl): void => {
    const leftAt = before.creatives.get(id)?.leftAt ?? leavingNow;
    if (!isOver(leftAt)) creatives.set(id, { ...entry, leftAt });
  };
  for (const [id, entry] of before.creatives) keep(id, entry);
  for (const [id, creative] of named.removed) keep(id, entryOf(creative));
  for (const [id, creative] of named.kept) creatives.set(id, entryOf(creative));
  const dropped = dropOldest(creatives, maxCharacters);

  const unnamed = stored.filter((name) => !named.images.has(name));
  const images = new Map(unnamed.map((name) => [name, before.images.get(name) ?? leavingNow]));
  const outdated = unnamed.filter((name) => isOver(images.get(name)!));
  for (const name of outdated) images.delete(name);

  await writeLandingUrls(dataDir, { creatives, images }, cluster === null ? null : { cluster, madeOf });
  if (damage !== null) onLostLinks(damage);
  for (const [source, number] of dropped) {
    onLostLinks(
      `Source ${source}: ${number.toLocaleString('en')} creatives that have left no longer have a link, though the click ` +
        'window is not over. Its ids change too often: the table of landing URLs is full.',
    );
  }
  if (cluster !== null) await unshareCatalogue(cluster, { snapshots: [...surplusIds], images: outdated });
  for (const { id } of surplus) await removeSnapshot(dataDir, id);
  for (const name of outdated) await removeImage(dataDir, name);
  return { snapshots: surplus.length, images: outdated.length };
}

/**
 * The table is one text, and texts of V8 have at most 536 million characters. A source that replaces its ids every day
 * must not use that up for all. About three million creatives.
 */
const MAX_CHARACTERS = 400_000_000;
/** What an entry takes besides its id and URL. */
const PER_ENTRY = 100;

/**
 * Removes the creatives that left longest ago while the table is too long, each of the source that has most of them.
 *
 * @returns how many of each source were removed
 */
function dropOldest(creatives: Map<string, LandingUrl>, maxCharacters: number): ReadonlyMap<string, number> {
  const left = new Map<string, LeftCreatives>();
  let total = 0;
  for (const [id, { leftAt, landingUrl, source = DEFAULT_SOURCE }] of creatives) {
    const length = id.length + landingUrl.length + PER_ENTRY;
    total += length;
    if (leftAt === null) continue;
    const ofSource = left.get(source) ?? { total: 0, entries: [] };
    ofSource.total += length;
    ofSource.entries.push({ id, leftAt, length });
    left.set(source, ofSource);
  }
  const dropped = new Map<string, number>();
  if (total <= maxCharacters) return dropped;
  // The oldest last, to be taken from the end.
  for (const { entries } of left.values()) entries.sort((one, other) => other.leftAt.localeCompare(one.leftAt));
  while (total > maxCharacters) {
    const [source, largest] = [...left].toSorted(([, one], [, other]) => other.total - one.total)[0] ?? [];
    const oldest = largest?.entries.pop();
    if (source === undefined || largest === undefined || oldest === undefined) break;
    creatives.delete(oldest.id);
    largest.total -= oldest.length;
    total -= oldest.length;
    dropped.set(source, (dropped.get(source) ?? 0) + 1);
  }
  return dropped;
}

/** The creatives that have left a source, and how long their entries are together. */
interface LeftCreatives {
  total: number;
  readonly entries: { readonly id: string; readonly leftAt: string; readonly length: number }[];
}

function entryOf(creative: Creative): LandingUrl {
  return { landingUrl: creative.landingUrl, leftAt: null, source: sourceOf(creative) };
}

interface ReferencedCreatives {
  readonly kept: ReadonlyMap<string, Creative>;
  /** From snapshots that are about to be removed. */
  readonly removed: ReadonlyMap<string, Creative>;
  /** Image files of the snapshots that are kept. */
  readonly images: ReadonlySet<string>;
}

async function referencedBySnapshots(
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

import type { Cluster } from '../../platform/cluster/cluster.js';
import { removeOldDrafts } from '../../platform/files/durable.js';
import { DAY } from '../../platform/time/durations.js';
import type { Creative } from '../schema/creative.js';
import { sourceOf } from '../schema/source.js';
import { dropOldest, MAX_CHARACTERS } from './drop-oldest.js';
import { listImages, removeImage } from './images.js';
import { removeSnapshot, surplusSnapshots } from './kept-snapshots.js';
import type { LandingUrl } from './landing-urls-format.js';
import { readLandingUrlsToReplace, writeLandingUrls } from './landing-urls.js';
import { layoutOf } from './layout.js';
import { requireFollowed } from './pointer.js';
import type { KnownCreatives } from './read-creatives.js';
import { referencedBySnapshots } from './referenced-creatives.js';
import { unshareCatalogue } from './shared-catalogue.js';

/** Default click window: how long after its decision a click still leads to the advertiser. */
export const CLICK_WINDOW_MS = 30 * DAY;

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

function entryOf(creative: Creative): LandingUrl {
  return { landingUrl: creative.landingUrl, leftAt: null, source: sourceOf(creative) };
}

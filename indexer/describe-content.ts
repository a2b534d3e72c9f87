import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Creative } from '../models/schema/creative.js';
import type { Manifest } from '../models/snapshot/manifest.js';
import { DETECTION_VERSION } from '../models/text/language.js';
import type { Content } from './build-snapshot.js';
import type { EmbeddedCatalogue } from './embed-catalogue.js';
import { imageRulesOf } from './images.js';
import type { LiveCatalogue } from './live-catalogue.js';

/** The run that makes a snapshot. */
export interface ContentOptions {
  /** The snapshot's name; undefined: the feed's. */
  readonly name: string | undefined;
  /** File of the feed; null: the source is removed. */
  readonly feed: string | null;
  readonly source: string;
}

/**
 * Returns what a snapshot consists of, besides its vectors. One that changes no creative is described as the live
 * one, and so has its id.
 *
 * @param read the feed's format and digest
 * @param now epoch milliseconds
 */
export function describeContent(
  { name, feed, source }: ContentOptions,
  read: Manifest['source'],
  creatives: readonly Creative[],
  live: LiveCatalogue,
  now: number,
): Omit<Content, keyof EmbeddedCatalogue> {
  const pictures = imageRulesOf(live);
  // Unchanged feeds of several sources would otherwise replace each other's snapshots every night, until all that are
  // kept are alike and none is left to roll back to.
  const same = manifestIfSame(live.catalogue, creatives, pictures);
  return {
    name: name ?? same?.name ?? (feed === null ? `without ${source}` : path.parse(feed).name),
    builtAt: new Date(now).toISOString(),
    source: same?.source ?? read,
    creatives,
    pictures,
  };
}

/**
 * Returns the live snapshot's manifest if it has these creatives, checked by the rules of this release; otherwise a new
 * one has to say so.
 */
function manifestIfSame(
  live: LiveCatalogue['catalogue'],
  creatives: readonly Creative[],
  pictures: number | null,
): Manifest | null {
  if (live === null || live.manifest.telling !== DETECTION_VERSION) return null;
  const isChecked = (live.manifest.pictures ?? null) === pictures;
  return isChecked && isDeepStrictEqual(creatives, live.creatives) ? live.manifest : null;
}

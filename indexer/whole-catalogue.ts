import { isDeepStrictEqual } from 'node:util';
import type { Creative } from '../models/schema/creative.js';
import { compareSources, DEFAULT_SOURCE, sourceOf } from '../models/schema/source.js';
import { LARGE_FROM } from '../models/snapshot/layout.js';
import { type AcceptedFeed, FeedRefusedError } from './accept-feed.js';
import { keepLabels } from './keep-labels.js';
import type { LiveCatalogue } from './live-catalogue.js';

/**
 * Returns the creatives to publish: the feed's and those of other sources, by source, so that the order of runs makes no
 * difference. A large catalogue keeps the live order as far as possible (`keepLabels`), and so does any whose creatives
 * are all live and unchanged: an order that differs from export to export is no change.
 */
export function wholeCatalogue(
  { rows }: AcceptedFeed,
  { others, catalogue }: LiveCatalogue,
  source: string,
): Creative[] {
  const own = rows.map(({ creative }) => (source === DEFAULT_SOURCE ? creative : { ...creative, source }));
  const bySource = [...others, ...own].toSorted((one, other) => compareSources(sourceOf(one), sourceOf(other)));
  const live = catalogue?.creatives ?? [];
  const asLive = keepLabels(bySource, live);
  return bySource.length >= LARGE_FROM || isDeepStrictEqual(asLive, live) ? asLive : bySource;
}

/** Returns an empty feed, which removes the source. @throws FeedRefusedError if the source has no live rows */
export function emptyFeed(source: string, { own, others }: LiveCatalogue): AcceptedFeed {
  if (own.length === 0) {
    const known = [...new Set(others.map(sourceOf))].toSorted(compareSources);
    const there = known.length === 0 ? 'nothing is live' : `live are ${known.join(', ')}`;
    throw new FeedRefusedError(`There is no source ${source}; ${there}. Nothing was changed.`);
  }
  const feed = { format: 'none', digest: '0'.repeat(64) } as const;
  return { feed, mapped: null, rows: [], faults: [], fatal: [], warnings: [], total: 0 };
}

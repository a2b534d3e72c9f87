import type { Creative } from '../models/schema/creative.js';
import { countSources, DEFAULT_SOURCE, sourceOf } from '../models/schema/source.js';
import type { AcceptedFeed } from './accept-feed.js';
import { describeArriving } from './arriving.js';
import { describeHighPrices, describeTerms } from './campaign-terms.js';
import { describeCountries } from './countries.js';
import { describeDiff, diffFeed } from './feed-diff.js';
import { describeLanguages } from './languages.js';
import { describeLeaving, findLeaving } from './leaving.js';
import type { LiveCatalogue } from './live-catalogue.js';
import { describeMapped } from './mapping/describe-mapped.js';
import type { FeedReading } from './mapping/read-mapping.js';

/** A run that was published, or would be. */
export interface DescribedRun {
  readonly source: string;
  readonly currency: string;
  readonly verbose: boolean;
  readonly brief: boolean;
  readonly reading: FeedReading;
  readonly accepted: AcceptedFeed;
  /** The live catalogue before the run. */
  readonly live: LiveCatalogue;
  /** The whole catalogue after the run. */
  readonly creatives: readonly Creative[];
}

/** Names the snapshot that a run published. */
export function describePublication(id: string, source: string, live: LiveCatalogue): string {
  const ofSource = source === DEFAULT_SOURCE ? '' : `, source ${source}`;
  return `Published ${id}${id === live.catalogue?.id ? ' (the same as before)' : ''}${ofSource}`;
}

/**
 * Describes what a run changes: its rows, the rows of other sources, advertisers that came or left, and what campaigns
 * pay.
 */
export function describeChanges(run: DescribedRun): string[] {
  const { source, currency, verbose, brief, reading, accepted, live, creatives } = run;
  const own = creatives.filter((creative) => sourceOf(creative) === source);
  // The published creatives have their source, and in a large catalogue another order than the feed's rows.
  const published = new Map(own.map((creative) => [creative.id, creative]));
  const rows = accepted.rows.map((row) => ({ ...row, creative: published.get(row.creative.id)! }));
  return [
    ...describeDiff(diffFeed(rows, accepted.faults, live.own), verbose),
    ...(accepted.mapped === null ? [] : describeMapped(accepted.mapped, reading.mapping!, own, verbose)),
    ...describeLanguages(own, verbose),
    ...describeCountries(own, verbose),
    ...describeAnonymous(own),
    ...describeOthers(live),
    // In the first feed without a source name every advertiser is new.
    ...(source === DEFAULT_SOURCE && live.own.length === 0 ? [] : describeArriving(source, live.own, own, verbose)),
    ...describeLeaving(findLeaving([...live.own, ...live.others], creatives), verbose),
    ...(brief ? [] : describeTerms(own, live.own, currency, verbose)),
    ...(brief ? [] : describeHighPrices(own, creatives, currency)),
  ];
}

/** Counts the creatives whose feed does not say who pays for them. */
function describeAnonymous(creatives: readonly Creative[]): string[] {
  const anonymous = creatives.filter(({ advertiser }) => advertiser === null).length;
  if (anonymous === 0) return [];
  return [
    `  without an advertiser: ${anonymous.toLocaleString('en')}; publishers cannot block them by name, and readers are ` +
      'not told on whose behalf they see them; name it in the feed, or index with --set advertiser="NAME"',
  ];
}

function describeOthers({ others }: LiveCatalogue): string[] {
  if (others.length === 0) return [];
  const counts = Object.entries(countSources(others) ?? { [DEFAULT_SOURCE]: others.length });
  return [`  of other sources: ${counts.map(([name, count]) => `${name} ${count.toLocaleString('en')}`).join(', ')}`];
}

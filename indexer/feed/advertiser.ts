import type { Creative } from '../../models/schema/creative.js';
import { sourceOf } from '../../models/schema/source.js';
import { printable } from '../../platform/text/printable.js';

/** Decides which advertisers a source may have rows of. */
export interface AdvertiserRules {
  readonly source: string;
  /** Live creatives of the source. */
  readonly own: readonly Creative[];
  /** Live creatives of other sources. */
  readonly others: readonly Creative[];
  /** Advertisers that several sources may have. */
  readonly shared: readonly string[];
}

/** Checks whether a row's advertiser belongs to another source. */
export interface AdvertiserCheck {
  /** Returns why a creative may not be in the source; null: it may. */
  faultOf(creative: Creative): string | null;
  /** Returns a warning per advertiser that several sources have already, from releases without this check. */
  warningsOf(creatives: Iterable<Creative>): string[];
}

/**
 * Creates the check. An advertiser belongs to the source that has it first: its account pays for clicks on each of its
 * creatives, wherever they lead, and the rows of its campaigns must agree with the live ones. Rows without an
 * advertiser belong to any source.
 */
export function advertiserCheck({ source, own, others, shared }: AdvertiserRules): AdvertiserCheck {
  const elsewhere = new Map<string, string>();
  for (const creative of others) {
    const { advertiser } = creative;
    if (advertiser !== null && !elsewhere.has(advertiser)) elsewhere.set(advertiser, sourceOf(creative));
  }
  for (const name of shared) elsewhere.delete(name);
  const before = new Set(own.map(({ advertiser }) => advertiser));
  const otherSourceOf = ({ advertiser }: Creative): string | undefined =>
    advertiser === null ? undefined : elsewhere.get(advertiser);
  return {
    faultOf(creative) {
      const { advertiser } = creative;
      const other = otherSourceOf(creative);
      return other === undefined || before.has(advertiser) ? null : belongsTo(advertiser!, other, source);
    },
    warningsOf(creatives) {
      const found = new Map<string, string>();
      for (const creative of creatives) {
        const other = otherSourceOf(creative);
        if (other !== undefined) found.set(creative.advertiser!, other);
      }
      return Array.from(found, ([advertiser, other]) => isInBoth(advertiser, other, source));
    },
  };
}

function belongsTo(advertiser: string, other: string, source: string): string {
  const name = printable(advertiser);
  return (
    `“${name}” is live in source ${other}, and its account would pay for what source ${source} shows; ` +
    `if it agreed to that, index with --share-advertiser "${name}"`
  );
}

function isInBoth(advertiser: string, other: string, source: string): string {
  const name = printable(advertiser);
  return (
    `“${name}” is live in source ${other} too, and its account pays for what both show; if it agreed to that, index ` +
    `with --share-advertiser "${name}", else take its rows out of the feed of source ${source} or of ${other}`
  );
}

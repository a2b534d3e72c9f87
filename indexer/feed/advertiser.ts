import type { Creative } from '../../models/schema/creative.js';
import { sourceOf } from '../../models/schema/source.js';
import { nameKey } from '../../models/text/name-key.js';
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
 * creatives, wherever they lead, and the rows of its campaigns must agree with the live ones. So does a campaign without
 * an advertiser, which is an account by itself. Rows without either belong to any source: each is its own account.
 */
export function advertiserCheck({ source, own, others, shared }: AdvertiserRules): AdvertiserCheck {
  const sharedOwners = new Set(shared.map((name) => `advertiser ${nameKey(name)}`));
  const elsewhere = new Map<string, string>();
  for (const creative of others) {
    const owner = ownerOf(creative);
    if (owner !== null && !sharedOwners.has(owner) && !elsewhere.has(owner)) elsewhere.set(owner, sourceOf(creative));
  }
  const before = new Set(own.map(ownerOf));
  const otherSourceOf = (creative: Creative): string | undefined => elsewhere.get(ownerOf(creative) ?? '');
  return {
    faultOf(creative) {
      const other = otherSourceOf(creative);
      return other === undefined || before.has(ownerOf(creative)) ? null : belongsTo(creative, other, source);
    },
    warningsOf(creatives) {
      const found = new Map<string, string>();
      for (const creative of creatives) {
        const other = otherSourceOf(creative);
        if (other !== undefined) found.set(ownerOf(creative)!, isInBoth(creative, other, source));
      }
      return [...found.values()];
    },
  };
}

/**
 * Identifies the advertiser, or the campaign of a row without one; null: a row that has neither. Names that look the same
 * are one: nobody could tell the accounts apart.
 */
function ownerOf({ advertiser, campaign }: Creative): string | null {
  if (advertiser !== null) return `advertiser ${nameKey(advertiser)}`;
  return campaign === null ? null : `campaign ${nameKey(campaign)}`;
}

function belongsTo({ advertiser, campaign }: Creative, other: string, source: string): string {
  if (advertiser === null) {
    return (
      `campaign “${printable(campaign!)}” without an advertiser is live in source ${other}, and its budget would pay ` +
      `for what source ${source} shows; name the advertiser`
    );
  }
  const name = printable(advertiser);
  return (
    `“${name}” is live in source ${other}, and its account would pay for what source ${source} shows; ` +
    `if it agreed to that, index with --share-advertiser "${name}"`
  );
}

function isInBoth({ advertiser, campaign }: Creative, other: string, source: string): string {
  if (advertiser === null) {
    return (
      `campaign “${printable(campaign!)}” without an advertiser is live in source ${other} too, and its budget pays for ` +
      `what both show; name the advertiser in the feed of source ${source} or of ${other}`
    );
  }
  const name = printable(advertiser);
  return (
    `“${name}” is live in source ${other} too, and its account pays for what both show; if it agreed to that, index ` +
    `with --share-advertiser "${name}", else take its rows out of the feed of source ${source} or of ${other}`
  );
}

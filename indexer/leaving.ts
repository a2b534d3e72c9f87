import type { Creative } from '../models/schema/creative.js';
import { printable } from '../platform/text/printable.js';
import { firstOf } from '../platform/command-line/first-of.js';

/** Advertisers and campaigns that have creatives before a run and none after it, over all sources. */
export interface Leaving {
  readonly advertisers: readonly string[];
  /** Includes the campaigns of advertisers that leave. */
  readonly campaigns: readonly { readonly campaign: string; readonly advertiser: string | null }[];
}

/** Compares the whole catalogue before and after a run. */
export function findLeaving(before: readonly Creative[], after: readonly Creative[]): Leaving {
  const advertisers = new Set(after.map(({ advertiser }) => advertiser));
  const campaigns = new Set(after.map(campaignKey));
  const gone = new Map(
    before
      .filter((creative) => creative.campaign !== null && !campaigns.has(campaignKey(creative)))
      .map((creative) => [campaignKey(creative), { campaign: creative.campaign!, advertiser: creative.advertiser }]),
  );
  return {
    advertisers: [...new Set(before.flatMap(({ advertiser }) => advertiser ?? []))].filter(
      (name) => !advertisers.has(name),
    ),
    campaigns: [...gone.values()],
  };
}

/** How many advertisers, and how many campaigns, a summary names without --verbose. */
const LISTED = 8;

/** Names advertisers and campaigns that leave; no line if there are none. */
export function describeLeaving({ advertisers, campaigns }: Leaving, verbose: boolean): string[] {
  const named = ({ campaign, advertiser }: Leaving['campaigns'][number]): string =>
    advertiser === null ? quoted(campaign) : `${quoted(campaign)} of ${quoted(advertiser)}`;
  return [
    ...(advertisers.length === 0 ? [] : [`  advertisers removed: ${firstOf(advertisers, LISTED, verbose, quoted)}`]),
    ...(campaigns.length === 0 ? [] : [`  campaigns removed: ${firstOf(campaigns, LISTED, verbose, named)}`]),
  ];
}

/** Returns the names in quotes, with unprintable characters replaced. */
export function quotedList(names: readonly string[]): string {
  return names.map(quoted).join(', ');
}

/** Returns a name in quotes, with unprintable characters replaced. */
export const quoted = (name: string): string => `“${printable(name)}”`;

const campaignKey = ({ advertiser, campaign }: Creative): string => JSON.stringify([advertiser, campaign]);

import type { Creative } from '../../models/schema/creative.js';
import type { Asker } from './decide.js';

/** Why a creative may not be answered now, to this publisher. */
export type Ineligibility = 'not-started' | 'ended' | 'blocked-category' | 'blocked-advertiser';

/** One filter's word on a creative: null lets it through. */
export type Filter = (creative: Creative, asker: Asker) => Ineligibility | null;

/** Dates of the creative and block lists of the publisher; names are compared without regard to case. */
export const FILTERS: readonly Filter[] = [withinDates, categoryAllowed, advertiserAllowed];

/** The first filter's word against a creative, or null when it may be answered. */
export function ineligibility(
  creative: Creative,
  asker: Asker,
  filters: readonly Filter[] = FILTERS,
): Ineligibility | null {
  for (const filter of filters) {
    const word = filter(creative, asker);
    if (word !== null) return word;
  }
  return null;
}

/** The start counts in, the end does not. */
function withinDates({ startsAt, endsAt }: Creative, { now }: Asker): Ineligibility | null {
  if (startsAt !== null && now < Date.parse(startsAt)) return 'not-started';
  if (endsAt !== null && now >= Date.parse(endsAt)) return 'ended';
  return null;
}

function categoryAllowed({ categories }: Creative, { publisher }: Asker): Ineligibility | null {
  return categories.some((category) => isListed(category, publisher.blockedCategories)) ? 'blocked-category' : null;
}

function advertiserAllowed({ advertiser }: Creative, { publisher }: Asker): Ineligibility | null {
  return advertiser !== null && isListed(advertiser, publisher.blockedAdvertisers) ? 'blocked-advertiser' : null;
}

function isListed(name: string, list: readonly string[]): boolean {
  return list.some((listed) => listed.toLowerCase() === name.toLowerCase());
}

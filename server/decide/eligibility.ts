import type { Creative } from '../../models/schema/creative.js';
import { feedRules, type CampaignFault, type CampaignRules } from '../campaigns/campaigns.js';
import type { Requester } from '../domain/decision.js';

/** Why a creative may not be answered now, to this publisher. */
export type Ineligibility = CampaignFault | 'blocked-category' | 'blocked-advertiser';

/**
 * The first reason against a creative, or null when it may be answered: by its campaign (dates, budgets, pace, cap), then by
 * the publisher's block lists, whose names are compared without regard to case.
 *
 * @param campaigns the feed's dates alone unless given
 */
export function ineligibility(
  creative: Creative,
  requester: Requester,
  campaigns: Pick<CampaignRules, 'effective' | 'fault'> = feedRules,
): Ineligibility | null {
  const effective = campaigns.effective(creative);
  return (
    campaigns.fault(creative, requester) ?? categoryFault(effective, requester) ?? advertiserFault(effective, requester)
  );
}

function categoryFault({ categories }: Creative, { publisher }: Requester): Ineligibility | null {
  return categories.some((category) => isListed(category, publisher.blockedCategories)) ? 'blocked-category' : null;
}

function advertiserFault({ advertiser }: Creative, { publisher }: Requester): Ineligibility | null {
  return advertiser !== null && isListed(advertiser, publisher.blockedAdvertisers) ? 'blocked-advertiser' : null;
}

function isListed(name: string, list: readonly string[]): boolean {
  return list.some((listed) => listed.toLowerCase() === name.toLowerCase());
}

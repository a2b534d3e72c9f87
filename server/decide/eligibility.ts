import type { Exclusions } from '../../models/index/catalogue-search.js';
import type { Creative } from '../../models/schema/creative.js';
import { isSameLanguage, languageKey } from '../../models/text/language-tag.js';
import { type CampaignIneligibility, type CampaignRules, feedRules } from '../campaigns/campaigns.js';
import type { Requester } from '../domain/decision.js';

/** Why a creative may not be answered now, to this publisher. */
export type Ineligibility = CampaignIneligibility | 'blocked-category' | 'blocked-advertiser' | 'language';

/**
 * The first reason against a creative, or null when it may be answered: by its campaign (dates, budgets, pace, cap), then by
 * the publisher's block lists, whose names are compared without regard to case (of advertisers the feed's and who pays by
 * command), then by the language that it declares.
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
    campaigns.fault(creative, requester) ??
    categoryFault(effective, requester) ??
    advertiserFault(creative, requester) ??
    advertiserFault(effective, requester) ??
    languageFault(effective, requester)
  );
}

/** What `ineligibility` refuses by what the feed says of a creative, whatever holds for its campaign. */
export function exclusions({ publisher, language = null }: Requester): Exclusions {
  const small = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase());
  return {
    categories: small(publisher.blockedCategories),
    advertisers: small(publisher.blockedAdvertisers),
    languagesBut: language === null ? null : [language, ...(publisher.foreignLanguages ?? [])].map(languageKey),
  };
}

function categoryFault({ categories }: Creative, { publisher }: Requester): Ineligibility | null {
  return categories.some((category) => isListed(category, publisher.blockedCategories)) ? 'blocked-category' : null;
}

function advertiserFault({ advertiser }: Creative, { publisher }: Requester): Ineligibility | null {
  return advertiser !== null && isListed(advertiser, publisher.blockedAdvertisers) ? 'blocked-advertiser' : null;
}

/** An ad that declares no language goes with every conversation; a conversation whose language nothing tells, with every ad. */
function languageFault(
  { language: declared }: Creative,
  { language = null, publisher }: Requester,
): Ineligibility | null {
  if (declared === undefined || language === null) return null;
  const accepted = [language, ...(publisher.foreignLanguages ?? [])];
  return accepted.some((each) => isSameLanguage(declared, each)) ? null : 'language';
}

function isListed(name: string, list: readonly string[]): boolean {
  return list.some((listed) => listed.toLowerCase() === name.toLowerCase());
}

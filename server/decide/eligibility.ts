import type { Exclusions } from '../../models/index/catalogue-search.js';
import type { Creative } from '../../models/schema/creative.js';
import type { Exclude } from '../../models/schema/match-request.js';
import { isSameLanguage, languageKey } from '../../models/text/language-tag.js';
import { nameKey } from '../../models/text/name-key.js';
import { type CampaignIneligibility, type CampaignRules, feedRules } from '../campaigns/campaigns.js';
import type { Excluded, Requester } from '../domain/decision.js';
import { advertiserKeyOf, categoryKeysOf } from '../live-index/name-keys.js';

/** Why a creative may not be served to this publisher now. */
export type Ineligibility =
  | CampaignIneligibility
  | 'blocked-category'
  | 'blocked-advertiser'
  | 'excluded'
  | 'language'
  | 'country'
  | 'negative-keyword';

/**
 * Returns the first reason why a creative may not be served, or null if it may be. It checks the campaign (dates,
 * budgets, pacing, cap), then the publisher's block lists by `nameKey` (both the feed's advertiser and the payer set by
 * command), then what the request excludes, compared in the same way, then the language and the countries that the
 * creative declares, then its negative keywords.
 *
 * @param campaigns default: only the feed's dates apply
 */
export function ineligibility(
  creative: Creative,
  requester: Requester,
  campaigns: Pick<CampaignRules, 'effective' | 'ineligibility'> = feedRules,
): Ineligibility | null {
  const effective = campaigns.effective(creative);
  return (
    campaigns.ineligibility(creative, requester) ??
    categoryIneligibility(creative, requester) ??
    advertiserIneligibility(creative, effective, requester) ??
    requestIneligibility(creative, effective, requester) ??
    languageIneligibility(effective, requester) ??
    countryIneligibility(effective, requester) ??
    keywordIneligibility(effective, requester)
  );
}

/** Prepares the exclusions of a request once, since they are compared with many creatives. */
export function excludedBy({ categories = [], advertisers = [], creatives = [] }: Exclude): Excluded {
  return {
    categories: new Set(categories.map(nameKey)),
    advertisers: new Set(advertisers.map(nameKey)),
    creatives: new Set(creatives),
  };
}

/**
 * Returns creatives that `ineligibility` rejects by their feed fields alone, whatever the state of their campaign. It
 * compares names without regard to case only, as databases do, and so misses some.
 */
export function exclusions({ publisher, language = null, country = null, excluded }: Requester): Exclusions {
  const small = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase());
  return {
    categories: small([...publisher.blockedCategories, ...(excluded?.categories ?? [])]),
    advertisers: small([...publisher.blockedAdvertisers, ...(excluded?.advertisers ?? [])]),
    languagesOtherThan: language === null ? null : [language, ...(publisher.foreignLanguages ?? [])].map(languageKey),
    countriesOtherThan: country,
  };
}

function categoryIneligibility(creative: Creative, { publisher }: Requester): Ineligibility | null {
  return isOfCategory(creative, keysOf(publisher.blockedCategories)) ? 'blocked-category' : null;
}

function advertiserIneligibility(creative: Creative, effective: Creative, requester: Requester): Ineligibility | null {
  const blocked = keysOf(requester.publisher.blockedAdvertisers);
  return isOfAdvertiser(creative, effective, blocked) ? 'blocked-advertiser' : null;
}

function requestIneligibility(creative: Creative, effective: Creative, { excluded }: Requester): Ineligibility | null {
  if (excluded === undefined) return null;
  const isUnwanted =
    excluded.creatives.has(creative.id) ||
    isOfCategory(creative, excluded.categories) ||
    isOfAdvertiser(creative, effective, excluded.advertisers);
  return isUnwanted ? 'excluded' : null;
}

/** Commands change no categories, so those of the feed count. @param keys by `nameKey` */
function isOfCategory(creative: Creative, keys: ReadonlySet<string>): boolean {
  return keys.size > 0 && categoryKeysOf(creative).some((key) => keys.has(key));
}

/** Returns whether the feed names one of these advertisers, or one pays by command. @param keys by `nameKey` */
function isOfAdvertiser(creative: Creative, effective: Creative, keys: ReadonlySet<string>): boolean {
  if (keys.size === 0) return false;
  const named = advertiserKeyOf(creative);
  const { advertiser: pays } = effective;
  return (
    (named !== null && keys.has(named)) || (pays !== null && pays !== creative.advertiser && keys.has(nameKey(pays)))
  );
}

/**
 * An ad that declares no language fits every conversation; a conversation in an undetected language accepts every ad.
 */
function languageIneligibility(
  { language: declared }: Creative,
  { language = null, publisher }: Requester,
): Ineligibility | null {
  if (declared === undefined || language === null) return null;
  const accepted = [language, ...(publisher.foreignLanguages ?? [])];
  return accepted.some((each) => isSameLanguage(declared, each)) ? null : 'language';
}

/** An ad for certain countries is not for readers whose country is unknown: its advertiser would pay for others too. */
function countryIneligibility({ countries }: Creative, { country = null }: Requester): Ineligibility | null {
  return countries === undefined || (country !== null && countries.includes(country)) ? null : 'country';
}

function keywordIneligibility({ negativeKeywords }: Creative, { said }: Requester): Ineligibility | null {
  return negativeKeywords !== undefined && said?.hasAny(negativeKeywords) ? 'negative-keyword' : null;
}

/** By list of a publisher, which no one changes: a search compares it with hundreds of creatives for every request. */
const knownKeys = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Returns the keys of a publisher's list. Making one takes a microsecond if the name is not ASCII. */
function keysOf(list: readonly string[]): ReadonlySet<string> {
  const known = knownKeys.get(list);
  if (known !== undefined) return known;
  const keys = new Set(list.map(nameKey));
  knownKeys.set(list, keys);
  return keys;
}

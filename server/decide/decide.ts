import type { Encoder } from '../../models/encoder/encoder.js';
import { type CampaignIneligibility, type CampaignRules, feedRules } from '../campaigns/campaigns.js';
import type { Config } from '../config/settings.js';
import type { LiveIndex } from '../live-index/live-index.js';
import type { Decide, Requester } from '../domain/decision.js';
import type { Exclusions } from '../../models/index/catalogue-search.js';
import { isSameLanguage, languageKey } from '../../models/text/language-tag.js';
import { NEAR_TIE_DEPTH, chooseWinner } from './choose-winner.js';
import { readConversation } from './conversation/conversation.js';
import { languageOf } from './conversation/language.js';
import { createLanguagePipelines } from './language-pipelines.js';
import type { Creative } from '../../models/schema/creative.js';
import type { Language } from '../../models/text/language.js';

export interface DecideOptions {
  readonly encoder: Encoder;
  readonly index: Pick<LiveIndex, 'current'>;
  readonly config: Pick<Config, 'dataDir' | 'floor'>;
  /** Absent: of campaigns, the feed's dates alone hold. */
  readonly campaigns?: CampaignRules;
}

/** Wires encoder, live index and decision model into the function that answers matches. */
export function createDecide({ encoder, index, config, campaigns = feedRules }: DecideOptions): Decide {
  const readerOf = createLanguagePipelines(encoder, config.dataDir);
  return async (request, asking, signal) => {
    // One snapshot for the whole decision: a swap meanwhile is the next request's.
    const live = index.current();
    if (live === null || live.creatives.length === 0) return { filled: false, reason: 'no-catalogue' };
    const conversation = readConversation(request);
    const language = languageOf(conversation);
    const reader = readerOf(language);
    const snapshot = reader && reader.catalogue(live);
    if (snapshot === null) return { filled: false, reason: 'language', language };
    const { model, gate, ranker } = reader!;
    const requester = { ...asking, language };
    const context = await ranker.prepare(conversation, ownerOf(requester), signal);
    if (gate.assess(context.encoded, requester.publisher.allowedTopics).sensitive)
      return { filled: false, reason: 'sensitive', language };
    const creativeOf = (label: number) => snapshot.creatives[label]!;
    const accept = (label: number): boolean => ineligibility(creativeOf(label), requester, campaigns) === null;
    const filter = { accept, exclusions: () => exclusions(requester) };
    const considered = await ranker.rank(context, snapshot, filter, NEAR_TIE_DEPTH);
    // Searching and judging take their time, in which a budget may have run out.
    const ranked = considered.filter(({ label }) => accept(label));
    if (ranked.length === 0) return { filled: false, reason: 'not-eligible', language };
    const floor = requester.publisher.floor ?? config.floor ?? model.floor;
    const winner = chooseWinner(ranked, floor, {
      expectedMicros: (label) => campaigns.expectedMicros(creativeOf(label)),
      isForeign: (label) => isForeign(creativeOf(label), language),
    });
    if (winner === undefined) return { filled: false, reason: 'below-floor', language };
    // In the same turn as the check above: no other decision comes between a budget's check and its reservation.
    campaigns.recordServed(creativeOf(winner.label), requester);
    const creative = campaigns.effective(creativeOf(winner.label));
    return { filled: true, creative, score: winner.score, language };
  };
}

/** Whose conversation it is, for what may be remembered of it; null: nobody says, and nothing is. */
export function ownerOf({ publisher, session }: Requester): string | null {
  return session === undefined ? null : JSON.stringify([publisher.name, session]);
}

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

/** Whether a creative's text, as declared or told, is in another language than the conversation; false where either is not known. */
export function isForeign({ language, writtenIn = language }: Creative, spoken: Language | null): boolean {
  return writtenIn !== undefined && spoken !== null && !isSameLanguage(writtenIn, spoken);
}

function isListed(name: string, list: readonly string[]): boolean {
  return list.some((listed) => listed.toLowerCase() === name.toLowerCase());
}

import type { Creative } from '../../models/schema/creative.js';
import { isSameLanguage } from '../../models/text/language-tag.js';
import type { Language } from '../../models/text/language.js';
import type { CampaignRules } from '../campaigns/campaigns.js';
import type { ScoredCandidate } from './ranker.js';

/** Relevance this close to the best's is a near-tie: no reader would say which ad fits better. Measured, see models/EXPERIMENTS.md. */
export const NEAR_TIE = 0.005;

/** Of judged ads: log odds this close to the best's are a near-tie. */
const NEAR_TIE_LOG_ODDS = 0.1;

/** How many of a ranking are looked at for near-ties. */
export const NEAR_TIE_DEPTH = 10;

/** Of two texts that say the same, the one in the conversation's language has nearly always come within this of the other. Measured likewise. */
const OWN_LANGUAGE_TIE = 0.03;

/** What speaks for one of several ads that are as good as each other to a reader. */
export interface Preference {
  /** What an ad is expected to earn once shown. */
  expectedMicros(label: number): number;
  /** Whether its text is in another language than the conversation. */
  isForeign(label: number): boolean;
}

/** What speaks for the creatives of a catalogue in a conversation. @param spoken its language; null: nothing tells it */
export function preferenceAmong(
  creatives: readonly Creative[],
  campaigns: Pick<CampaignRules, 'expectedMicros'>,
  spoken: Language | null,
): Preference {
  return {
    expectedMicros: (label) => campaigns.expectedMicros(creatives[label]!),
    isForeign: (label) => isForeign(creatives[label]!, spoken),
  };
}

/** Whether a creative's text, as declared or told, is in another language than the conversation; false where either is not known. */
export function isForeign({ language, writtenIn = language }: Creative, spoken: Language | null): boolean {
  return writtenIn !== undefined && spoken !== null && !isSameLanguage(writtenIn, spoken);
}

/**
 * The ad to answer: the best one or, where that is in another language than the conversation, the best in its own that is
 * as relevant but for `OWN_LANGUAGE_TIE`. Among those within `nearTie` of its relevance that reach the floor too (of judged
 * ones: within `NEAR_TIE_LOG_ODDS` of its score), the one expected to earn most. Equal earnings leave the more relevant one in
 * front, equal relevance the earlier label.
 *
 * @param ranked best first
 * @returns undefined when even the most relevant one lies below the floor
 */
export function chooseWinner(
  ranked: readonly ScoredCandidate[],
  floor: number,
  { expectedMicros, isForeign }: Preference,
  nearTie = NEAR_TIE,
): ScoredCandidate | undefined {
  const [first] = ranked;
  if (first === undefined || first.score < floor) return undefined;
  const shown = ranked.filter(({ score }) => score >= floor);
  const own = shown.filter(({ label }) => !isForeign(label));
  const best = own.find(({ relevance }) => first.relevance - relevance <= OWN_LANGUAGE_TIE) ?? first;
  return (isForeign(best.label) ? shown : own)
    .filter((other) => isNearTie(best, other, nearTie))
    .reduce((winner, other) => (expectedMicros(other.label) > expectedMicros(winner.label) ? other : winner), best);
}

function isNearTie(best: ScoredCandidate, other: ScoredCandidate, nearTie: number): boolean {
  if (other === best) return true;
  if (best.features.judged === null) return best.relevance - other.relevance <= nearTie;
  return other.features.judged !== null && logOdds(best.score) - logOdds(other.score) <= NEAR_TIE_LOG_ODDS;
}

const logOdds = (probability: number): number => Math.log(probability / (1 - probability));

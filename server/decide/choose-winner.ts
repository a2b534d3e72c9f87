import type { Creative } from '../../models/schema/creative.js';
import { isSameLanguage } from '../../models/text/language-tag.js';
import type { Language } from '../../models/text/language.js';
import type { ScoredCandidate } from './ranker.js';

/**
 * Relevance within this of the best is a near-tie: no person could say which ad fits better. Measured, see
 * models/EXPERIMENTS.md.
 */
const NEAR_TIE = 0.005;

/** How many candidates of a ranking are considered for near-ties. */
export const NEAR_TIE_DEPTH = 10;

/**
 * Of two ads with the same meaning, the one in the conversation's language is nearly always within this relevance of
 * the other. Measured, see models/EXPERIMENTS.md.
 */
const OWN_LANGUAGE_TIE = 0.03;

/** Breaks ties between ads that are equally good for the user. */
export interface Preference {
  /** What an ad is expected to earn once shown, in micros. */
  expectedMicros(creative: Creative): number;
  /** Whether the ad's text is in another language than the conversation. */
  isForeign(creative: Creative): boolean;
}

/**
 * Returns whether a creative's text, as declared or detected, is in another language than the conversation; false if
 * either is unknown.
 */
export function isForeign({ language, writtenIn = language }: Creative, spoken: Language | null): boolean {
  return writtenIn !== undefined && spoken !== null && !isSameLanguage(writtenIn, spoken);
}

/**
 * Chooses the ad to serve. It starts from the best ad or, if that is in another language than the conversation, from
 * the best ad in the conversation's language within `OWN_LANGUAGE_TIE` of its relevance. Among the ads that reach the
 * floor and are within `nearTie` of that ad's relevance, it returns the one expected to earn most. Equal earnings leave
 * the more relevant ad in front, equal relevance the one ranked first.
 *
 * @param ranked best first
 * @returns undefined when even the most relevant ad is below the floor
 */
export function chooseWinner(
  ranked: readonly ScoredCandidate[],
  floor: number,
  { expectedMicros, isForeign }: Preference,
  nearTie = NEAR_TIE,
): ScoredCandidate | undefined {
  const [first] = ranked;
  if (first === undefined || first.score < floor) return undefined;
  const aboveFloor = ranked.filter(({ score }) => score >= floor);
  const own = aboveFloor.filter(({ creative }) => !isForeign(creative));
  const best = own.find(({ relevance }) => first.relevance - relevance <= OWN_LANGUAGE_TIE) ?? first;
  return (isForeign(best.creative) ? aboveFloor : own)
    .filter(({ relevance }) => best.relevance - relevance <= nearTie)
    .reduce(
      (winner, other) => (expectedMicros(other.creative) > expectedMicros(winner.creative) ? other : winner),
      best,
    );
}

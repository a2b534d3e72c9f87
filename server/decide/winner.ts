import type { ScoredCandidate } from './ranker.js';

/** Relevance this close to the best's is a near-tie: no reader would say which ad fits better. Measured, see server/campaigns. */
export const NEAR_TIE = 0.005;

/** How many of a ranking are looked at for near-ties. */
export const NEAR_TIE_DEPTH = 10;

/**
 * The ad to answer: the most relevant one, or, among those within `nearTie` of its relevance that reach the floor too, the
 * one expected to earn most. Equal earnings leave the more relevant one in front, equal relevance the earlier label.
 *
 * @param ranked best first
 * @param expectedMicros what an ad is expected to earn once shown
 * @returns undefined when even the most relevant one lies below the floor
 */
export function winnerOf(
  ranked: readonly ScoredCandidate[],
  floor: number,
  expectedMicros: (label: number) => number,
  nearTie = NEAR_TIE,
): ScoredCandidate | undefined {
  const [best] = ranked;
  if (best === undefined || best.score < floor) return undefined;
  return ranked
    .filter(({ relevance, score }) => best.relevance - relevance <= nearTie && score >= floor)
    .reduce((winner, other) => (expectedMicros(other.label) > expectedMicros(winner.label) ? other : winner));
}

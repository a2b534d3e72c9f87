import type { ScoredCandidate } from './ranker.js';

/** Relevance this close to the best's is a near-tie: no reader would say which ad fits better. Measured, see models/EXPERIMENTS.md. */
export const NEAR_TIE = 0.005;

/** Of judged ads: log odds this close to the best's are a near-tie. */
const NEAR_TIE_LOG_ODDS = 0.1;

/** How many of a ranking are looked at for near-ties. */
export const NEAR_TIE_DEPTH = 10;

/**
 * The ad to answer: the best one, or, among those within `nearTie` of its relevance that reach the floor too (of judged
 * ones: within `NEAR_TIE_LOG_ODDS` of its score), the one expected to earn most. Equal earnings leave the more relevant one in front, equal relevance the earlier label.
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
    .filter((other) => other.score >= floor && isNearTie(best, other, nearTie))
    .reduce((winner, other) => (expectedMicros(other.label) > expectedMicros(winner.label) ? other : winner));
}

function isNearTie(best: ScoredCandidate, other: ScoredCandidate, nearTie: number): boolean {
  if (other === best) return true;
  if (best.features.judged === null) return best.relevance - other.relevance <= nearTie;
  return other.features.judged !== null && logOdds(best.score) - logOdds(other.score) <= NEAR_TIE_LOG_ODDS;
}

const logOdds = (probability: number): number => Math.log(probability / (1 - probability));

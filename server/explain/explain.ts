import type { MatchRequest } from '../../models/schema/match-request.js';
import type { Creative } from '../../models/schema/creative.js';
import { sigmoid } from '../../models/scoring/sigmoid.js';
import { inBatches } from '../../platform/time/in-batches.js';
import { feedRules } from '../campaigns/campaigns.js';
import {
  type AssessedRequest,
  type Choice,
  createDecisionSteps,
  type DecideOptions,
} from '../decide/decision-steps.js';
import { ineligibility, type Ineligibility } from '../decide/eligibility.js';
import type { ScoredCandidate } from '../decide/ranker.js';
import { newestText } from '../decide/conversation/conversation.js';
import type { Requester } from '../domain/decision.js';
import type { ExplainedContext, ExplainedCreative, Explanation } from './explanation.js';
import { languageNotServed, noAd, resultOf, withheld } from './in-words.js';

/**
 * Explains what a request would be served now. Changes nothing: no reservation, no count.
 *
 * @throws EncoderBusyError, SearchUnavailableError
 */
export type Explain = (request: MatchRequest, requester: Requester) => Promise<Explanation>;

/** How many creatives are listed. The best eligible creative and the winner are added if they are not among them. */
const ROWS = 10;
/** How many creatives are ranked to find their places. */
const DEPTH = 50;

/**
 * Creates the function that explains decisions. It takes the steps of a decision, but goes on after one that rules out
 * an ad: conversations in an unsupported language are assessed as English, and sensitive ones are ranked.
 */
export function createExplain(options: DecideOptions): Explain {
  const { campaigns = feedRules } = options;
  const steps = createDecisionSteps(options);
  return async (request, requester) => {
    const live = steps.liveCatalogue();
    const assessed = await steps.assess(steps.read(request, requester, live));
    const { snapshot, gate, floor } = assessed;
    const known = { read: explainContext(request, assessed), gate, floor };
    if (snapshot === null) {
      const outcome =
        live === null
          ? noAd('no-catalogue', 'No catalogue is published; make one: npm run index -- FEED')
          : noAd('language', languageNotServed(assessed));
      return { ...known, catalogue: null, keptOut: {}, rows: [], outcome };
    }
    const filterOf = (creative: Creative) => ineligibility(creative, assessed.requester, campaigns);
    // A score depends on which other creatives are eligible, so it comes from the ranking that the decision sees.
    const ranked = await steps.rank(assessed, snapshot, DEPTH);
    const all = await assessed.pipeline.ranker.rank(assessed.context, snapshot, null, DEPTH);
    const keptOut: Partial<Record<Ineligibility, number>> = {};
    await inBatches(snapshot.creatives, (creative) => {
      const filter = filterOf(creative);
      if (filter !== null) keptOut[filter] = (keptOut[filter] ?? 0) + 1;
    });
    const choice = steps.choose(assessed, ranked);
    return {
      ...known,
      catalogue: { id: snapshot.id, name: snapshot.manifest.name, creatives: snapshot.creatives.length },
      keptOut,
      rows: rowsOf(all, ranked, choice, filterOf),
      outcome: gate.sensitive ? withheld(gate) : resultOf(choice, assessed, snapshot.creatives.length),
    };
  };
}

function explainContext({ messages }: MatchRequest, { conversation, context, requester }: AssessedRequest) {
  const { turns, whole, last } = conversation;
  const explained: ExplainedContext = {
    from: messages === undefined ? 'context' : 'messages',
    turns,
    whole,
    last,
    words: newestText(conversation),
    advertisable: context.advertisable === null ? null : sigmoid(context.advertisable),
    language: requester.language,
  };
  return explained;
}

/** @param all ranked without filters @param ranked the eligible ones, with the scores that the decision sees */
function rowsOf(
  all: readonly ScoredCandidate[],
  ranked: readonly ScoredCandidate[],
  { eligible: [best], winner }: Choice,
  filterOf: (creative: Creative) => Ineligibility | null,
): ExplainedCreative[] {
  const scored = new Map(ranked.map((candidate) => [candidate.creative, candidate]));
  const places = new Map(all.map(({ creative }, at) => [creative, at + 1]));
  const listed = all.slice(0, ROWS).map((candidate) => scored.get(candidate.creative) ?? candidate);
  for (const candidate of [best, winner]) {
    if (candidate !== undefined && !listed.includes(candidate)) listed.push(candidate);
  }
  return listed.map(({ creative, similarity, lexical, relevance, overlap, features, score }) => {
    const { id, name, advertiser } = creative;
    const figures = { similarity, lexical, relevance, mass: features.mass, overlap, score };
    return { place: places.get(creative) ?? null, id, name, advertiser, ...figures, filter: filterOf(creative) };
  });
}

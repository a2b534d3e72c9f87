import type { MatchRequest } from '../../models/schema/match-request.js';
import type { Creative } from '../../models/schema/creative.js';
import { sigmoid } from '../../models/scoring/sigmoid.js';
import type { ServedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { inBatches } from '../../platform/time/in-batches.js';
import { feedRules } from '../campaigns/campaigns.js';
import { chooseWinner, NEAR_TIE_DEPTH, preferenceAmong } from '../decide/choose-winner.js';
import { type DecideOptions, ownerOf } from '../decide/decide.js';
import { exclusions, ineligibility, type Ineligibility } from '../decide/eligibility.js';
import { floorFor } from '../decide/floor.js';
import type { Requester } from '../domain/decision.js';
import { createLanguagePipelines } from '../decide/language-pipelines.js';
import type { PreparedContext, ScoredCandidate } from '../decide/ranker.js';
import type { Language } from '../../models/text/language.js';
import { newestText, readConversation } from '../decide/conversation/conversation.js';
import { languageOf } from '../decide/conversation/language.js';
import type { ExplainedContext, ExplainedCreative, Explanation } from './explanation.js';
import { languageInWords, noAd, outcomeOf, withheld } from './outcome.js';

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

/** Creates the function that explains decisions, from the parts that make them. */
export function createExplain({ encoder, index, config, campaigns = feedRules }: DecideOptions): Explain {
  const pipelineOf = createLanguagePipelines(encoder, config.dataDir);
  return async (request, requesterWithoutLanguage) => {
    const live = index.current();
    const conversation = readConversation(request);
    const language = languageOf(conversation);
    const requester = { ...requesterWithoutLanguage, language };
    const measured = pipelineOf(language);
    // A conversation in an unsupported language is analyzed as English, and gets no ad.
    const pipeline = measured ?? pipelineOf(null)!;
    const { model, gate, ranker } = pipeline;
    const snapshot = live && pipeline.catalogue(live);
    const context = await ranker.prepare(conversation, ownerOf(requester));
    const floor = floorFor(requester.publisher, config.floor, model);
    const verdict = gate.assess(context.encoded, requester.publisher.allowedTopics);
    const known = { read: { ...explainContext(request, context), language }, gate: verdict, floor };
    if (live !== null && (measured === null || snapshot === null)) {
      const outcome = noAd('language', unsupportedLanguage(language, measured === null));
      return { ...known, catalogue: null, keptOut: {}, rows: [], outcome };
    }
    if (snapshot === null || snapshot.creatives.length === 0) {
      const outcome = noAd('no-catalogue', 'No catalogue is published; make one: npm run index -- FEED');
      return { ...known, catalogue: null, keptOut: {}, rows: [], outcome };
    }
    const filters: (Ineligibility | null)[] = [];
    await inBatches(snapshot.creatives, (creative) => filters.push(ineligibility(creative, requester, campaigns)));
    const filter = {
      accept: (label: number) => filters[label] === null,
      exclusions: () => exclusions(requester),
    };
    // A score depends on which other creatives are eligible, so it comes from the ranking that the decision sees.
    const eligible = await ranker.rank(context, snapshot, filter, DEPTH);
    const all = await ranker.rank(context, snapshot, undefined, DEPTH);
    const preference = preferenceAmong(snapshot.creatives, campaigns, language);
    const [best] = eligible;
    const winner = chooseWinner(eligible.slice(0, NEAR_TIE_DEPTH), floor.value, preference) ?? best;
    const rows = rowsOf(all, eligible, winner, filters, snapshot);
    const rowOf = (scored: ScoredCandidate | undefined) => rows.find(({ label }) => label === scored?.label)?.row;
    const labels = new Map(rows.map(({ label, row }) => [row, label]));
    return {
      ...known,
      catalogue: { id: snapshot.id, name: snapshot.manifest.name, creatives: snapshot.creatives.length },
      keptOut: countsOf(filters),
      rows: rows.map(({ row }) => row),
      outcome: verdict.sensitive
        ? withheld(verdict)
        : outcomeOf(rowOf(best), rowOf(winner), floor, snapshot.creatives.length, (row) =>
            preference.isForeign(labels.get(row)!),
          ),
    };
  };
}

/** @param never whether no encoder supports the language, rather than the catalogue lacking its encoder's vectors */
function unsupportedLanguage(language: Language | null, never: boolean): string {
  const name = languageInWords(language);
  return never
    ? `The conversation is in ${name}, which is not a supported language`
    : `The conversation is in ${name}, and the catalogue was indexed without the encoder for it; index the feed again`;
}

function explainContext({ messages }: MatchRequest, context: PreparedContext): Omit<ExplainedContext, 'language'> {
  const { turns, whole, last } = context.conversation;
  return {
    from: messages === undefined ? 'context' : 'messages',
    turns,
    whole,
    last,
    words: newestText(context.conversation),
    advertisable: context.advertisable === null ? null : sigmoid(context.advertisable),
  };
}

function rowsOf(
  all: readonly ScoredCandidate[],
  eligible: readonly ScoredCandidate[],
  winner: ScoredCandidate | undefined,
  filters: readonly (Ineligibility | null)[],
  snapshot: ServedSnapshot,
): { readonly label: number; readonly row: ExplainedCreative }[] {
  const scored = new Map(eligible.map((candidate) => [candidate.label, candidate]));
  const places = new Map(all.map(({ label }, at) => [label, at + 1]));
  const shown = all.slice(0, ROWS).map((candidate) => scored.get(candidate.label) ?? candidate);
  for (const answered of [eligible[0], winner]) {
    if (answered !== undefined && !shown.includes(answered)) shown.push(answered);
  }
  return shown.map((candidate) => {
    const { id, name, advertiser } = snapshot.creatives[candidate.label]! satisfies Creative;
    const { label, similarity, lexical, relevance, overlap, features, score } = candidate;
    const figures = { similarity, lexical, relevance, mass: features.mass, overlap, score };
    const place = places.get(label) ?? null;
    return { label, row: { place, id, name, advertiser, ...figures, filter: filters[label] ?? null } };
  });
}

function countsOf(filters: readonly (Ineligibility | null)[]): Explanation['keptOut'] {
  const counts: Partial<Record<Ineligibility, number>> = {};
  for (const verdict of filters) if (verdict !== null) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}

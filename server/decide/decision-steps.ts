import type { Encoder } from '../../models/encoder/encoder.js';
import type { MatchRequest } from '../../models/schema/match-request.js';
import type { ServedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { canonicalCountry } from '../../models/text/country-code.js';
import type { Language } from '../../models/text/language.js';
import { type CampaignRules, feedRules } from '../campaigns/campaigns.js';
import type { Config } from '../config/settings.js';
import type { Requester } from '../domain/decision.js';
import type { LiveIndex } from '../live-index/live-index.js';
import { negativeKeywordsOf } from '../live-index/negative-keywords.js';
import { chooseWinner, isForeign, NEAR_TIE_DEPTH } from './choose-winner.js';
import { type Conversation, newestSaid, readConversation } from './conversation/conversation.js';
import { languageOf } from './conversation/language.js';
import { exclusions, ineligibility } from './eligibility.js';
import { type Floor, floorFor } from './floor.js';
import type { GateVerdict } from './gate.js';
import { createLanguagePipelines, type LanguagePipeline } from './language-pipelines.js';
import type { PreparedContext, ScoredCandidate } from './ranker.js';

export interface DecideOptions {
  readonly encoder: Encoder;
  readonly index: Pick<LiveIndex, 'current'>;
  readonly config: Pick<Config, 'dataDir' | 'floor'>;
  /** Absent: only the feed's campaign dates apply. */
  readonly campaigns?: CampaignRules;
}

/** A request whose conversation was read, with what decides conversations in its language. */
export interface ReadRequest {
  readonly conversation: Conversation;
  readonly requester: Requester & { readonly language: Language | null };
  /** The pipeline for the language; the one for English if no encoder supports the language. */
  readonly pipeline: LanguagePipeline;
  readonly isSupported: boolean;
  /** Null: no catalogue can serve the language. */
  readonly snapshot: ServedSnapshot | null;
  readonly floor: Floor;
}

/** A request whose conversation was encoded and assessed by the gate. */
export interface AssessedRequest extends ReadRequest {
  readonly context: PreparedContext;
  readonly gate: GateVerdict;
}

export interface Choice {
  /** The ads that compete, best first. Empty: no creative is eligible. */
  readonly eligible: readonly ScoredCandidate[];
  /** Undefined: none is eligible, or the most relevant one is below the floor. */
  readonly winner: ScoredCandidate | undefined;
}

/**
 * The steps of a decision, in their order. They record nothing: `decide` stops at the first step that rules out an ad,
 * and records the winner; an explanation takes all steps, and records nothing.
 */
export interface DecisionSteps {
  /** Returns the live catalogue; null: none is published, or it is empty. */
  liveCatalogue(): ServedSnapshot | null;
  /** Reads the conversation, and finds the pipeline and the part of the catalogue for its language. */
  read(request: MatchRequest, requester: Requester, live: ServedSnapshot | null): ReadRequest;
  /** Encodes the conversation, and asks the gate. @throws EncoderBusyError, the signal's reason */
  assess(read: ReadRequest, signal?: AbortSignal): Promise<AssessedRequest>;
  /** Ranks the eligible creatives, best first: at most `count` of them. @throws SearchUnavailableError */
  rank(assessed: AssessedRequest, snapshot: ServedSnapshot, count: number): Promise<readonly ScoredCandidate[]>;
  /**
   * Chooses among the first `NEAR_TIE_DEPTH` of a ranking those that are still eligible, and the winner. Synchronous, so
   * that the winner can be recorded before another decision checks the same budget.
   */
  choose(assessed: AssessedRequest, ranked: readonly ScoredCandidate[]): Choice;
}

/** Creates the steps, from encoder, live index and campaign rules. */
export function createDecisionSteps(options: DecideOptions): DecisionSteps {
  const { encoder, index, config, campaigns = feedRules } = options;
  const pipelineOf = createLanguagePipelines(encoder, config.dataDir);
  return {
    liveCatalogue() {
      const live = index.current();
      return live === null || live.creatives.length === 0 ? null : live;
    },
    read(request, requester, live) {
      const conversation = readConversation(request);
      const language = languageOf(conversation);
      // A publisher's server knows better than a proxy, which sees that server's address.
      const country = request.country === undefined ? (requester.country ?? null) : canonicalCountry(request.country);
      const own = pipelineOf(language);
      const pipeline = own ?? pipelineOf(null)!;
      return {
        conversation,
        requester: { ...requester, language, country },
        pipeline,
        isSupported: own !== null,
        snapshot: own && live && own.catalogue(live),
        floor: floorFor(requester.publisher, config.floor, pipeline.model),
      };
    },
    async assess(read, signal) {
      const { conversation, requester, pipeline, snapshot } = read;
      const context = await pipeline.ranker.prepare(conversation, ownerOf(requester), signal);
      const gate = await pipeline.gate.assess(context.encoded, requester.publisher.allowedTopics);
      const keywords = snapshot && (await negativeKeywordsOf(snapshot));
      const said = await keywords?.search(() => newestSaid(conversation));
      return { ...read, requester: { ...requester, ...(said && { said }) }, context, gate };
    },
    rank({ context, requester, pipeline }, snapshot, count) {
      const filter = {
        accept: (creative: ScoredCandidate['creative']) => ineligibility(creative, requester, campaigns) === null,
        exclusions: () => exclusions(requester),
      };
      return pipeline.ranker.rank(context, snapshot, filter, count);
    },
    choose({ requester, floor }, ranked) {
      // A budget may have run out while the search ran.
      const eligible = ranked
        .slice(0, NEAR_TIE_DEPTH)
        .filter(({ creative }) => ineligibility(creative, requester, campaigns) === null);
      const winner = chooseWinner(eligible, floor.value, {
        expectedMicros: (creative) => campaigns.expectedMicros(creative),
        isForeign: (creative) => isForeign(creative, requester.language),
      });
      return { eligible, winner };
    },
  };
}

/**
 * Returns the owner under which a conversation's encodings may be cached; null without a session: nothing is cached.
 */
export function ownerOf({ publisher, session }: Requester): string | null {
  return session === undefined ? null : JSON.stringify([publisher.name, session]);
}

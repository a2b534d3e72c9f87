import type { GateVerdict } from '../decide/gate.js';
import type { Turn } from '../../models/encoder/encoder.js';
import type { Ineligibility } from '../decide/eligibility.js';
import type { Floor } from '../decide/floor.js';
import type { Language } from '../../models/text/language.js';
import type { NoFillReason } from '../../models/schema/event-kinds.js';

/**
 * Why a conversation gets a certain ad, or none. Contains the conversation's text: it may be shown, but never stored.
 */
export interface Explanation {
  readonly read: ExplainedContext;
  /** Whether the conversation is too sensitive for ads. */
  readonly gate: GateVerdict;
  /** The lowest score at which an ad is served, and where it comes from. */
  readonly floor: Floor;
  /** Null: no catalogue is published, or it has no creatives, or it cannot serve this language. */
  readonly catalogue: { readonly id: string; readonly name: string; readonly creatives: number } | null;
  /**
   * How many creatives each filter excludes for this publisher and language now, whatever the conversation is about.
   */
  readonly keptOut: Readonly<Partial<Record<Ineligibility, number>>>;
  /** The most relevant creatives, best first, eligible or not. */
  readonly rows: readonly ExplainedCreative[];
  readonly outcome: ExplainedResult;
}

/** What the decision returns, and why. */
export type ExplainedResult =
  | { readonly filled: true; readonly creativeId: string; readonly score: number; readonly because: string }
  | { readonly filled: false; readonly reason: NoFillReason; readonly because: string };

export interface ExplainedContext {
  readonly from: 'messages' | 'context';
  /** The language of the user's text, a primary subtag; null: not detected. */
  readonly language: Language | null;
  /** Oldest first. */
  readonly turns: readonly Turn[];
  /** The whole conversation as passed to the encoder, which reads its newest end. */
  readonly whole: string;
  /** The last user turn. */
  readonly last: string;
  /** The newest end, which was searched for rare words. */
  readonly words: string;
  /** Probability that the newest turn has a need that an ad could serve, in [0, 1]; null: the encoder gives none. */
  readonly advertisable: number | null;
}

/** A creative with every figure behind its place and score. */
export interface ExplainedCreative {
  /** Place in the ranking of all creatives, from 1; null: beyond what was ranked. */
  readonly place: number | null;
  readonly id: string;
  readonly name: string;
  readonly advertiser: string | null;
  /** Cosine between conversation and creative. */
  readonly similarity: number;
  /** Contribution of shared rare words. */
  readonly lexical: number;
  /** Sum of similarity and lexical, by which creatives are ranked. */
  readonly relevance: number;
  /** Share of the ranking's weight on creatives like this one, in [0, 1]. */
  readonly mass: number;
  /** How much of the conversation's rare words the creative shares, from 0 to about 1. 0 if the model ignores words. */
  readonly overlap: number;
  /** Calibrated probability that the creative is right here. */
  readonly score: number;
  /** The filter that excludes it; null: it may be served. */
  readonly filter: Ineligibility | null;
}

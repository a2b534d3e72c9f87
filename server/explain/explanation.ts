import type { GateVerdict } from '../decide/gate.js';
import type { Turn } from '../../models/encoder/encoder.js';
import type { Ineligibility } from '../decide/eligibility.js';
import type { Floor } from '../decide/floor.js';
import type { Language } from '../../models/text/language.js';
import type { NoFillReason } from '../../models/schema/usage-event.js';

/** Why a conversation gets this ad, or none. Holds the conversation's text: to be shown, never stored. */
export interface Explanation {
  readonly read: ExplainedContext;
  /** Whether the conversation is one that must have no ad. */
  readonly gate: GateVerdict;
  /** Lowest score that is shown, and who says so. */
  readonly floor: Floor;
  /** null: none is published. */
  readonly catalogue: { readonly id: string; readonly name: string; readonly creatives: number } | null;
  /** How many creatives each filter keeps out for this publisher and language now, whatever is talked about. */
  readonly keptOut: Readonly<Partial<Record<Ineligibility, number>>>;
  /** The most relevant creatives, best first, whether or not they may be answered. */
  readonly rows: readonly ExplainedCreative[];
  readonly outcome:
    | { readonly filled: true; readonly creativeId: string; readonly score: number; readonly because: string }
    | { readonly filled: false; readonly reason: NoFillReason; readonly because: string };
}

export interface ExplainedContext {
  readonly from: 'messages' | 'context';
  /** The language of what the person wrote, a primary subtag; null: the text does not tell. */
  readonly language: Language | null;
  /** Oldest first. */
  readonly turns: readonly Turn[];
  /** What the encoder got as the whole, of which it reads the newest end. */
  readonly whole: string;
  /** The last user turn, which it got once more by itself. */
  readonly last: string;
  /** How much the last turn counted beside the whole, which counts 1. */
  readonly lastTurnShare: number;
  /** The newest end, where rare words were looked for. */
  readonly words: string;
  /** How likely the newest turn has a need that an ad could serve, in [0, 1]; null: the encoder does not say. */
  readonly advertisable: number | null;
}

/** One creative with every figure that its place and score come from. */
export interface ExplainedCreative {
  /** Place in the ranking of all creatives, from 1; null: beyond what was ranked. */
  readonly place: number | null;
  readonly id: string;
  readonly name: string;
  readonly advertiser: string | null;
  /** Cosine between conversation and creative. */
  readonly similarity: number;
  /** What shared rare words add. */
  readonly lexical: number;
  /** Their sum, by which the order goes. */
  readonly relevance: number;
  /** Share of the ranking's weight that lies on creatives like this one, in [0, 1]. */
  readonly mass: number;
  /** Log odds that it is right here, by an encoder that read it beside the conversation; null: it was not judged. */
  readonly judged: number | null;
  /** Calibrated probability that it is right here. */
  readonly score: number;
  /** The filter that keeps it out; null: it may be answered. */
  readonly filter: Ineligibility | null;
}

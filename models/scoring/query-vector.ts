import { dot, normalised } from '../index/vector-index.js';
import type { DecisionModel, Linear } from './decision-model.js';

/** One context as unit vectors. For a single turn, both are the same. */
export interface ContextVectors {
  /** The newest end of the whole conversation. */
  readonly whole: Float32Array;
  /** The last user turn alone. */
  readonly last: Float32Array;
}

/**
 * Computes the vector to search with: the whole conversation, moved towards its last turn by as much as the model's
 * gate considers that turn independent (a topic switch, rather than "yes, the second").
 *
 * @returns a unit vector
 */
export function queryVector({ whole, last }: ContextVectors, model: DecisionModel): Float32Array {
  const share = lastTurnShare({ whole, last }, model);
  return normalised(whole.map((value, dim) => value + share * last[dim]!));
}

/** Returns the weight of the last turn relative to the whole, whose weight is 1. */
export function lastTurnShare({ whole, last }: ContextVectors, { lastTurn }: Pick<DecisionModel, 'lastTurn'>): number {
  return lastTurn.gate === null ? lastTurn.most : lastTurn.most * sigmoid(gateLogit(whole, last, lastTurn.gate));
}

// The gate was fitted on features of about unit variance: the last turn, and where it agrees with the whole.
const LAST_SCALE = 4;
const AGREEMENT_SCALE = 40;

function gateLogit(whole: Float32Array, last: Float32Array, gate: Linear): number {
  const agreement = whole.map((value, dim) => value * last[dim]!);
  return (
    LAST_SCALE * dot(gate.weights, 0, last) + AGREEMENT_SCALE * dot(gate.weights, whole.length, agreement) + gate.bias
  );
}

export function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

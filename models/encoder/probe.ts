/**
 * Attention over a text's token states (Bahdanau et al., 2015), each head with a query that says which tokens to look
 * at and a value that says what they mean: hears one phrase of a text that a mean over all tokens drowns.
 */
export interface Probe {
  readonly heads: number;
  /** heads × dims, row-major. */
  readonly queries: Float32Array;
  /** heads × dims, row-major. */
  readonly values: Float32Array;
}

/**
 * @param states token states, row-major: tokens × dims
 * @returns the heads' sum
 */
export function runProbe({ heads, queries, values }: Probe, states: Float32Array, dims: number): number {
  const tokens = states.length / dims;
  let sum = 0;
  for (let head = 0; head < heads; head++) {
    const looks = new Float64Array(tokens);
    const says = new Float64Array(tokens);
    for (let token = 0; token < tokens; token++) {
      let look = 0;
      let say = 0;
      for (let dim = 0; dim < dims; dim++) {
        const state = states[token * dims + dim]!;
        look += queries[head * dims + dim]! * state;
        say += values[head * dims + dim]! * state;
      }
      looks[token] = look;
      says[token] = say;
    }
    sum += softmaxMean(looks, says);
  }
  return sum;
}

/** The mean of `values` under the softmax of `logits`. */
function softmaxMean(logits: Float64Array, values: Float64Array): number {
  const most = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  let total = 0;
  let sum = 0;
  for (const [at, logit] of logits.entries()) {
    const weight = Math.exp(logit - most);
    total += weight;
    sum += weight * values[at]!;
  }
  return sum / total;
}

/**
 * Largest absolute component, in multiples of 1 / √dims (the root mean square of a unit vector's components). Larger
 * ones are clipped; the released encoders' vectors reach at most 5.4. If this value changes, the graph file needs
 * another name (`models/snapshot/layout.ts`); otherwise live graphs would be continued with vectors of two scales.
 */
const REACH = 6;
const MAX = 127;

/**
 * Quantises vectors to 8 bits, all with one scale, so that their inner products keep the order of the cosines.
 *
 * @param vectors unit vectors, row-major: label × dims
 */
export function quantiseTo8Bits(vectors: Float32Array, dims: number): Int8Array {
  const scale = (MAX * Math.sqrt(dims)) / REACH;
  const bytes = new Int8Array(vectors.length);
  for (let at = 0; at < vectors.length; at++) {
    bytes[at] = Math.max(-MAX, Math.min(MAX, Math.round(vectors[at]! * scale)));
  }
  return bytes;
}

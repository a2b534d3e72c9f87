/**
 * How far a component may be from zero, in multiples of 1 / √dims, which is what one of a unit vector measures on the average. Of
 * the released encoders' vectors none is beyond 5.4; what is, is cut. With another value the file of a graph needs another name
 * (`models/snapshot/layout.ts`): live ones would be continued with vectors of two scales.
 */
const REACH = 6;
const MOST = 127;

/**
 * Vectors of 8 bits, all to one scale, so that their inner products keep the order of the cosines.
 *
 * @param vectors unit vectors, row-major: label × dims
 */
export function toBytes(vectors: Float32Array, dims: number): Int8Array {
  const scale = (MOST * Math.sqrt(dims)) / REACH;
  const bytes = new Int8Array(vectors.length);
  for (let at = 0; at < vectors.length; at++) {
    bytes[at] = Math.max(-MOST, Math.min(MOST, Math.round(vectors[at]! * scale)));
  }
  return bytes;
}

/**
 * Latent dimensions: ads vary in far fewer ways than a vector has dimensions, and real catalogues behave like this
 * many.
 */
const LATENT = 48;
const CLUSTERS = 500;
/** Maximum size of a cluster: if thousands of vectors are far from all others, a graph search may not reach them. */
const MOST_IN_CLUSTER = 400;

/**
 * Returns unit vectors in clusters, like a catalogue's categories, on a few latent dimensions; the same in every run (a
 * linear congruential generator).
 *
 * @returns row-major, size × dims
 */
export function syntheticVectors(size: number, dims: number): Float32Array {
  let state = 1;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32 - 0.5;
  const basis = Float32Array.from({ length: LATENT * dims }, random);
  const clusters = Math.max(CLUSTERS, Math.ceil(size / MOST_IN_CLUSTER));
  const centres = Float32Array.from({ length: clusters * LATENT }, random);
  const vectors = new Float32Array(size * dims);
  for (let label = 0; label < size; label++) {
    const row = vectors.subarray(label * dims, (label + 1) * dims);
    for (let at = 0; at < LATENT; at++) {
      const value = centres[(label % clusters) * LATENT + at]! + 0.8 * random();
      for (let dim = 0; dim < dims; dim++) row[dim]! += value * basis[at * dims + dim]!;
    }
    const length = Math.hypot(...row);
    for (let dim = 0; dim < dims; dim++) row[dim]! /= length;
  }
  return vectors;
}

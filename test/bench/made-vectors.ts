/**
 * Unit vectors in 500 clusters, as a catalogue's categories make them; the same at every run (a linear congruential
 * generator).
 *
 * @returns row-major, size × dims
 */
export function madeVectors(size: number, dims: number): Float32Array {
  let state = 1;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32 - 0.5;
  const centres = Array.from({ length: 500 * dims }, random);
  const vectors = new Float32Array(size * dims);
  for (let label = 0; label < size; label++) {
    const centre = (label % 500) * dims;
    let squares = 0;
    for (let dim = 0; dim < dims; dim++) {
      const value = centres[centre + dim]! + 0.8 * random();
      vectors[label * dims + dim] = value;
      squares += value * value;
    }
    const length = Math.sqrt(squares);
    for (let dim = 0; dim < dims; dim++) vectors[label * dims + dim]! /= length;
  }
  return vectors;
}

/**
 * Returns unit vectors around `groups` centres, row-major in shared memory, the same in every run (a linear
 * congruential generator).
 */
export function clusteredVectors(size: number, dims: number, groups: number): Float32Array {
  let state = 1;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32 - 0.5;
  const centres = Array.from({ length: groups * dims }, random);
  const vectors = new Float32Array(new SharedArrayBuffer(4 * size * dims));
  for (let label = 0; label < size; label++) {
    const row = Array.from({ length: dims }, (_, dim) => centres[(label % groups) * dims + dim]! + 0.6 * random());
    const length = Math.hypot(...row);
    vectors.set(
      row.map((value) => value / length),
      label * dims,
    );
  }
  return vectors;
}

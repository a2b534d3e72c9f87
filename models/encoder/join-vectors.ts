/**
 * Joins two unit vectors into one, such that the inner product of two joined vectors is the weighted mean of both
 * encoders' cosines: (first + weight · second) / (1 + weight).
 *
 * @param first unit vector of the first encoder
 * @param second unit vector of the second encoder
 */
export function joinVectors(first: Float32Array, second: Float32Array, weight: number): Float32Array {
  const joined = new Float32Array(first.length + second.length);
  const length = Math.sqrt(1 + weight);
  for (const [dim, value] of first.entries()) joined[dim] = value / length;
  const scale = Math.sqrt(weight) / length;
  for (const [dim, value] of second.entries()) joined[first.length + dim] = value * scale;
  return joined;
}

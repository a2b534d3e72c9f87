/** Returns the labels 0 to `size` - 1. */
export function labelsUpTo(size: number): Uint32Array {
  const labels = new Uint32Array(size);
  for (let label = 0; label < size; label++) labels[label] = label;
  return labels;
}

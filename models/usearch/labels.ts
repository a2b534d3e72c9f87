/** Returns the labels 0 to `size` - 1. */
export function firstLabels(size: number): Uint32Array {
  const labels = new Uint32Array(size);
  for (let label = 0; label < size; label++) labels[label] = label;
  return labels;
}

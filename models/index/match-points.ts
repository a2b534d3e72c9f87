import type { GraphFile } from './graph-file.js';

/** Assignment of a graph's points to vectors. */
export interface MatchedPoints {
  /** By point: the row of `vectors` with an identical vector, or -1 if there is none. Each row is used once. */
  readonly labels: Int32Array;
  /** Rows without a point, in order. */
  readonly missing: readonly number[];
}

/**
 * Finds the points of a graph whose vectors are among `vectors`, in any order. Of identical vectors it matches as many
 * as both sides have. A point keeps its label if possible.
 *
 * @param vectors row-major: label × dims
 */
export function matchPoints(graph: GraphFile, vectors: Float32Array): MatchedPoints {
  const { words, dims, points } = graph;
  const rows = new Uint32Array(vectors.buffer, vectors.byteOffset, vectors.length);
  const size = vectors.length / dims;
  const labels = new Int32Array(points).fill(-1);
  const used = new Uint8Array(size);
  const isRowOf = (point: number, row: number): boolean =>
    used[row] === 0 && sameWords(words, graph.vectorAt(point), rows, row * dims, dims);
  const assign = (point: number, row: number): void => {
    labels[point] = row;
    used[row] = 1;
  };
  for (let point = 0; point < points; point++) {
    const before = words[graph.labelAt(point)]!;
    if (before < size && isRowOf(point, before)) assign(point, before);
  }
  const free = rowsByHash(rows, dims, used);
  for (let point = 0; point < points; point++) {
    if (labels[point] !== -1) continue;
    const candidates = free.get(hashWords(words, graph.vectorAt(point), dims)) ?? [];
    const at = candidates.findLastIndex((row) => isRowOf(point, row));
    if (at < 0) continue;
    assign(point, candidates[at]!);
    candidates.splice(at, 1);
  }
  const missing = Array.from(used.keys()).filter((row) => used[row] === 0);
  return { labels, missing };
}

function rowsByHash(rows: Uint32Array, dims: number, used: Uint8Array): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (let row = 0; row < used.length; row++) {
    if (used[row] === 1) continue;
    const hash = hashWords(rows, row * dims, dims);
    const others = found.get(hash);
    if (others === undefined) found.set(hash, [row]);
    else others.push(row);
  }
  return found;
}

/** Computes FNV-1a over words instead of bytes. */
function hashWords(words: Uint32Array, from: number, count: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < from + count; at++) hash = Math.imul(hash ^ words[at]!, 0x01000193);
  return hash;
}

function sameWords(one: Uint32Array, from: number, other: Uint32Array, otherFrom: number, count: number): boolean {
  for (let at = 0; at < count; at++) if (one[from + at] !== other[otherFrom + at]) return false;
  return true;
}

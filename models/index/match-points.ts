import type { GraphFile } from './graph-file.js';

/** Which points of a graph stand for which vectors. */
export interface MatchedPoints {
  /** By point: the row of `vectors` that has just its vector, each row once; -1 where none has. */
  readonly labels: Int32Array;
  /** Rows that no point stands for, in order. */
  readonly missing: readonly number[];
}

/**
 * Finds the points of a graph whose vectors are still wanted, whatever the order of either; of equal vectors, as many as there
 * are. A point that can keep its label does.
 *
 * @param vectors row-major: label × dims
 */
export function matchPoints(graph: GraphFile, vectors: Float32Array): MatchedPoints {
  const { words, dims, points } = graph;
  const rows = new Uint32Array(vectors.buffer, vectors.byteOffset, vectors.length);
  const size = vectors.length / dims;
  const labels = new Int32Array(points).fill(-1);
  const taken = new Uint8Array(size);
  const isRowOf = (point: number, row: number): boolean =>
    taken[row] === 0 && sameWords(words, graph.vectorAt(point), rows, row * dims, dims);
  const give = (point: number, row: number): void => {
    labels[point] = row;
    taken[row] = 1;
  };
  for (let point = 0; point < points; point++) {
    const before = words[graph.labelAt(point)]!;
    if (before < size && isRowOf(point, before)) give(point, before);
  }
  const free = rowsByHash(rows, dims, taken);
  for (let point = 0; point < points; point++) {
    if (labels[point] !== -1) continue;
    const candidates = free.get(hashWords(words, graph.vectorAt(point), dims)) ?? [];
    const at = candidates.findLastIndex((row) => isRowOf(point, row));
    if (at < 0) continue;
    give(point, candidates[at]!);
    candidates.splice(at, 1);
  }
  const missing = Array.from(taken.keys()).filter((row) => taken[row] === 0);
  return { labels, missing };
}

function rowsByHash(rows: Uint32Array, dims: number, taken: Uint8Array): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (let row = 0; row < taken.length; row++) {
    if (taken[row] === 1) continue;
    const hash = hashWords(rows, row * dims, dims);
    const others = found.get(hash);
    if (others === undefined) found.set(hash, [row]);
    else others.push(row);
  }
  return found;
}

/** FNV-1a, by words instead of bytes. */
function hashWords(words: Uint32Array, from: number, count: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < from + count; at++) hash = Math.imul(hash ^ words[at]!, 0x01000193);
  return hash;
}

function sameWords(one: Uint32Array, from: number, other: Uint32Array, otherFrom: number, count: number): boolean {
  for (let at = 0; at < count; at++) if (one[from + at] !== other[otherFrom + at]) return false;
  return true;
}

import { writeFile } from 'node:fs/promises';
import { addToGraph, GRAPH } from './graph.js';
import { type GraphFile, openGraphFile } from './graph-file.js';
import { matchPoints } from './match-points.js';
import { removePoints, rewireAround } from './remove-points.js';

/** If more than this share of the vectors is new or gone, the graph is rebuilt. */
const MAX_CHANGED = 0.2;

/** One in this many points is above the ground level, by the way hnswlib draws levels (Malkov and Yashunin, 2018). */
const POINTS_PER_UPPER = GRAPH.links;

/** Counts of an update. */
export interface UpdatedGraph {
  readonly kept: number;
  /** Number of vectors added. */
  readonly placed: number;
}

/**
 * Turns a saved graph into one over other vectors, most of which are unchanged: removes points whose vectors are gone,
 * adds the new ones, and relabels all. Blocks the calling thread for about a millisecond per new or removed vector.
 *
 * @param bytes a file written by `Graph.save`; its content is overwritten
 * @param vectors row-major: label × dims
 * @param file path of the new graph
 * @param onProgress called periodically with the number of vectors in the graph
 * @returns null, without writing anything, if too much has changed
 * @throws Error if the bytes are not a graph of these dims and the current parameters
 */
export async function updateGraph(
  bytes: ArrayBuffer,
  vectors: Float32Array,
  dims: number,
  file: string,
  onProgress?: (done: number) => void,
): Promise<UpdatedGraph | null> {
  const graph = openGraphFile(bytes, { ...GRAPH, dims });
  const { labels, missing } = matchPoints(graph, vectors);
  const size = vectors.length / dims;
  const kept = size - missing.length;
  const gone = Uint8Array.from(labels, (label) => (label === -1 ? 1 : 0));
  if (Math.max(missing.length, graph.points - kept) > MAX_CHANGED * size) return null;
  if (isFlat(graph, gone, kept)) return null;
  if (kept < graph.points) rewireAround(graph, gone);
  const rest = removePoints(graph, labels);
  if (rest === null) return null;
  await writeFile(file, rest);
  onProgress?.(kept);
  if (missing.length > 0) addToGraph(file, vectors, dims, missing, (done) => onProgress?.(kept + done));
  return { kept, placed: missing.length };
}

/**
 * Returns whether too few of the remaining points are above the ground level. hnswlib restarts its level generator with
 * the same seed on each update, and the first few levels are all 0. After hundreds of small updates hardly any upper
 * points would remain, and searches would start at an arbitrary point.
 */
function isFlat(graph: GraphFile, gone: Uint8Array, kept: number): boolean {
  let upper = 0;
  for (let point = 0; point < graph.points; point++) if (gone[point] === 0 && graph.levelOf(point) > 0) upper++;
  return 2 * upper * POINTS_PER_UPPER < kept;
}

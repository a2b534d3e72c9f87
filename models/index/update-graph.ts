import { writeFile } from 'node:fs/promises';
import { addToGraph, GRAPH } from './graph.js';
import { type GraphFile, openGraphFile } from './graph-file.js';
import { matchPoints } from './match-points.js';
import { closeGaps, rewireAround } from './remove-points.js';

/** Where more than this share of the vectors is new, or as many are gone, a graph is built anew. */
const MOST_CHANGED = 0.2;

/** Of so many points one stands above the ground, by the way that hnswlib draws their levels (Malkov and Yashunin, 2018). */
const POINTS_PER_UPPER = GRAPH.links;

/** How a graph was continued. */
export interface UpdatedGraph {
  readonly kept: number;
  /** Vectors that were placed in it. */
  readonly placed: number;
}

/**
 * Makes of a saved graph one over other vectors, of which most are the same: points whose vectors are gone are taken out of it,
 * new ones placed, and all labelled anew. Takes the calling thread: about a millisecond a vector that is new or gone.
 *
 * @param bytes a file that `Graph.save` wrote; of no use afterwards
 * @param vectors row-major: label × dims
 * @param file where the new graph goes
 * @param onProgress called now and then with the number of vectors that are in it
 * @returns null, and nothing written, where too much has changed
 * @throws Error when the bytes are no graph of these dims and of today's parameters
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
  if (Math.max(missing.length, graph.points - kept) > MOST_CHANGED * size) return null;
  if (isFlat(graph, gone, kept)) return null;
  if (kept < graph.points) rewireAround(graph, gone);
  const rest = closeGaps(graph, labels);
  if (rest === null) return null;
  await writeFile(file, rest);
  onProgress?.(kept);
  if (missing.length > 0) addToGraph(file, vectors, dims, missing, (done) => onProgress?.(kept + done));
  return { kept, placed: missing.length };
}

/**
 * Whether too few of the points that stay stand above the ground. Levels are drawn anew from one seed whenever a graph is continued,
 * and the first few are all 0: after hundreds of small rounds searches would begin anywhere.
 */
function isFlat(graph: GraphFile, gone: Uint8Array, kept: number): boolean {
  let upper = 0;
  for (let point = 0; point < graph.points; point++) if (gone[point] === 0 && graph.levelOf(point) > 0) upper++;
  return 2 * upper * POINTS_PER_UPPER < kept;
}

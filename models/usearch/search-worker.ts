import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { dot, type Neighbour, NearestRows } from '../index/vector-index.js';
import { answerOpening, answerRequests } from '../../platform/threads/answer.js';
import { type Activity, begin, setIdle } from '../../platform/threads/at-exit.js';
import { mapLargeGraph } from './large-graph.js';

/** Data that the thread is started with. */
export interface SearchThreadData {
  readonly file: string;
  readonly dims: number;
  /** Unit vectors, row-major: label × dims, in shared memory. */
  readonly vectors: Float32Array;
  readonly activity: Activity;
}

/** A search for the nearest: in the graph, or, if `among` is given, by comparing with each of these labels. */
export interface SearchQuery {
  readonly query: Float32Array;
  readonly k: number;
  readonly among: Uint32Array | null;
}

/** The result of a search, best first. */
export interface Found {
  readonly labels: Uint32Array<ArrayBuffer>;
  readonly similarities: Float64Array<ArrayBuffer>;
}

export interface SearchTasks {
  search(query: SearchQuery): Promise<Found>;
}

/** Components multiplied before the thread may start another search: some ten milliseconds. */
const BATCH = 1 << 23;

/** Extra candidates to re-rank by their float vectors, since 8-bit vectors order close neighbours differently. */
const EXTRA = 50;

const { file, dims, vectors, activity } = workerData as SearchThreadData;
const port = parentPort!;
// An error ends this thread; the exit of the process must not wait for it.
process.once('exit', () => setIdle(activity));
const graph = mapLargeGraph(file, dims);
setIdle(activity);

answerRequests<SearchTasks>(
  port,
  {
    async search({ query, k, among }) {
      const near = among === null ? inGraph(query, k) : await exactAmong(query, k, among);
      const labels = Uint32Array.from(near, ({ label }) => label);
      return { labels, similarities: Float64Array.from(near, ({ similarity }) => similarity) };
    },
  },
  { isFatal: () => true, transfer: ({ labels, similarities }) => [labels.buffer, similarities.buffer] },
);
// The number of vectors.
answerOpening(port, { result: graph.size });

/** Returns the graph's candidates, re-ranked by the cosine of their float vectors. */
function inGraph(query: Float32Array, k: number): Neighbour[] {
  begin(activity);
  const labels = graph.nearest(query, Math.min(k + EXTRA, graph.size));
  setIdle(activity);
  return labels
    .map((label): Neighbour => ({ label, similarity: dot(vectors, label * dims, query) }))
    .toSorted((a, b) => b.similarity - a.similarity || a.label - b.label)
    .slice(0, k);
}

async function exactAmong(query: Float32Array, k: number, labels: Uint32Array): Promise<readonly Neighbour[]> {
  const nearest = new NearestRows(vectors, query, k);
  const rows = Math.ceil(BATCH / dims);
  for (let at = 0; at < labels.length; at++) {
    if (at % rows === rows - 1) await nextTurn();
    nearest.compare(labels[at]!);
  }
  return nearest.found;
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { dot, type Neighbour, NearestRows } from '../index/vector-index.js';
import { type Activity, begin, setIdle } from '../../platform/threads/at-exit.js';
import { mapLargeGraph } from './large-graph.js';

/** What the thread is started with. */
export interface SearchThreadData {
  readonly file: string;
  readonly dims: number;
  /** Unit vectors, row-major: label × dims, over shared memory. */
  readonly vectors: Float32Array;
  readonly activity: Activity;
}

/** A question: the nearest in the graph, or, of some labels, the nearest by comparing with each. */
export interface Question {
  readonly id: number;
  readonly query: Float32Array;
  readonly k: number;
  readonly among: Uint32Array | null;
}

/** That the graph is open, with how many vectors; or an answer, best first. */
export type FromSearchThread =
  | { readonly size: number }
  | { readonly id: number; readonly labels: Uint32Array; readonly similarities: Float64Array };

/** Components that are multiplied before another question may come between: some ten milliseconds. */
const TURN = 1 << 23;

/** How many more than asked for are compared by their own vectors, since those of 8 bits put close ones in another order. */
const COMPARED = 50;

const { file, dims, vectors, activity } = workerData as SearchThreadData;
const port = parentPort!;
// A fault ends this thread; nobody is to wait for it.
process.once('exit', () => setIdle(activity));
const graph = mapLargeGraph(file, dims);
setIdle(activity);

port.on('message', ({ id, query, k, among }: Question) => {
  if (among === null) return answer(id, inGraph(query, k));
  void exactAmong(query, k, among).then((near) => answer(id, near));
});
port.postMessage({ size: graph.size } satisfies FromSearchThread);

function answer(id: number, near: readonly Neighbour[]): void {
  const labels = Uint32Array.from(near, ({ label }) => label);
  const similarities = Float64Array.from(near, ({ similarity }) => similarity);
  port.postMessage({ id, labels, similarities } satisfies FromSearchThread, [labels.buffer, similarities.buffer]);
}

/** Those that the graph gives, by the cosine with their own vectors. */
function inGraph(query: Float32Array, k: number): Neighbour[] {
  begin(activity);
  const labels = graph.nearest(query, Math.min(k + COMPARED, graph.size));
  setIdle(activity);
  return labels
    .map((label): Neighbour => ({ label, similarity: dot(vectors, label * dims, query) }))
    .toSorted((a, b) => b.similarity - a.similarity || a.label - b.label)
    .slice(0, k);
}

async function exactAmong(query: Float32Array, k: number, labels: Uint32Array): Promise<readonly Neighbour[]> {
  const nearest = new NearestRows(vectors, query, k);
  const rows = Math.ceil(TURN / dims);
  for (let at = 0; at < labels.length; at++) {
    if (at % rows === rows - 1) await nextTurn();
    nearest.compare(labels[at]!);
  }
  return nearest.found;
}

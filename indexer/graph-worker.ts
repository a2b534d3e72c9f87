import { parentPort, workerData } from 'node:worker_threads';
import { buildGraph } from '../models/index/graph.js';

/** What the thread is to do. */
export interface GraphTask {
  readonly vectors: Float32Array;
  readonly dims: number;
  /** Where the graph goes. */
  readonly file: string;
}

export interface FromGraphThread {
  readonly done: number;
}

const { vectors, dims, file } = workerData as GraphTask;
const graph = buildGraph(vectors, dims, (done) => parentPort?.postMessage({ done } satisfies FromGraphThread));
await graph.save(file);

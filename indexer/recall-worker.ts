import { parentPort, workerData } from 'node:worker_threads';
import { LARGE_FROM } from '../models/snapshot/layout.js';
import { type Activity, setIdle } from '../platform/threads/at-exit.js';
import { answerExactly, answerOf, type ExactNeighbours, NEIGHBOURS, sampleQueries } from './exact-neighbours.js';

/** The thread's input. */
export interface RecallTask {
  readonly vectors: Float32Array;
  readonly dims: number;
  readonly activity: Activity;
}

const { vectors, dims, activity } = workerData as RecallTask;
// After a fault ends this thread, the process must not wait for it.
process.once('exit', () => setIdle(activity));

/** Finds the same answers by usearch, which a large catalogue loads anyway: on all cores, in a fraction of the time. */
async function answerQuickly(): Promise<ExactNeighbours[]> {
  const { bestSimilarities } = await import('../models/usearch/best-similarities.js');
  setIdle(activity);
  return bestSimilarities(vectors, dims, sampleQueries(vectors, dims), NEIGHBOURS, activity).map(answerOf);
}

const isLarge = vectors.length / dims >= LARGE_FROM;
if (!isLarge) setIdle(activity);
parentPort?.postMessage(isLarge ? await answerQuickly() : answerExactly(vectors, dims));

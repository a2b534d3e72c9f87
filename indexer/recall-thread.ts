import { Worker } from 'node:worker_threads';
import { EXACT_UP_TO } from '../models/index/graph.js';
import { newActivity, unwatch, watch } from '../platform/threads/at-exit.js';
import { answerExactly, type ExactNeighbours } from './exact-neighbours.js';
import type { RecallTask } from './recall-worker.js';

/**
 * Answers recall's queries in a thread of its own, parallel to the graph's thread, since it needs only the vectors.
 * Searches a small catalogue on the calling thread, which takes less time than starting a thread.
 *
 * @param vectors row-major (label × dims), in shared memory
 */
export async function searchExactlyInThread(vectors: Float32Array, dims: number): Promise<readonly ExactNeighbours[]> {
  if (vectors.length / dims <= EXACT_UP_TO) return answerExactly(vectors, dims);
  const activity = newActivity();
  const workerData: RecallTask = { vectors, dims, activity };
  const worker = new Worker(new URL('./recall-worker.js', import.meta.url), { workerData });
  watch(activity);
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => {
      unwatch(activity);
      reject(new Error('the exact search for the recall failed'));
    });
  });
}

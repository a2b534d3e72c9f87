import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ExactAnswer } from './recall.js';

/**
 * Answers recall's queries in a thread of its own, beside the graph's: it needs the vectors alone.
 *
 * @param vectors row-major: label × dims, over shared memory
 */
export async function answerInThread(vectors: Float32Array, dims: number): Promise<readonly ExactAnswer[]> {
  const worker = new Worker(new URL('./recall-worker.js', import.meta.url), { workerData: { vectors, dims } });
  const [answers] = (await once(worker, 'message')) as [readonly ExactAnswer[]];
  return answers;
}

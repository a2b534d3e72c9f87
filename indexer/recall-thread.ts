import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { EXACT_UP_TO } from '../models/index/graph.js';
import { answerExactly, type ExactAnswer } from './exact-answers.js';

/**
 * Answers recall's queries in a thread of its own, beside the graph's: it needs the vectors alone. Of a small catalogue at once,
 * in less time than a thread takes to start.
 *
 * @param vectors row-major: label × dims, over shared memory
 */
export async function answerBeside(vectors: Float32Array, dims: number): Promise<readonly ExactAnswer[]> {
  if (vectors.length / dims <= EXACT_UP_TO) return answerExactly(vectors, dims);
  const worker = new Worker(new URL('./recall-worker.js', import.meta.url), { workerData: { vectors, dims } });
  const [answers] = (await once(worker, 'message')) as [readonly ExactAnswer[]];
  return answers;
}

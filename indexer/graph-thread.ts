import { Worker } from 'node:worker_threads';
import { buildGraph, EXACT_UP_TO } from '../models/index/graph.js';
import type { FromGraphThread, GraphTask, MadeGraph } from './graph-worker.js';

/**
 * Builds and saves the graph in a thread of its own: building takes about a millisecond per vector, and meanwhile the
 * main thread must keep the lock fresh and the progress bar moving. Builds a small catalogue's graph on the calling
 * thread, which takes less time than starting a thread.
 *
 * @param task its vectors are row-major, in shared memory, so that nothing is copied
 * @param onDone called from time to time with the number of vectors done
 */
export async function buildGraphInThread(task: GraphTask, onDone: (done: number) => void): Promise<MadeGraph> {
  const { vectors, dims, file, usesUsearch, earlier } = task;
  if (!usesUsearch && earlier === null && vectors.length / dims <= EXACT_UP_TO) {
    await buildGraph(vectors, dims, onDone).save(file);
    return { placed: null, fault: null };
  }
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./graph-worker.js', import.meta.url), { workerData: task });
    let made: MadeGraph | undefined;
    worker.on('message', (message: FromGraphThread) => {
      if ('made' in message) ({ made } = message);
      else onDone(message.done);
    });
    worker.on('error', reject);
    worker.on('exit', () => (made === undefined ? reject(new Error('building the graph failed')) : resolve(made)));
  });
}

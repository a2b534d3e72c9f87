import { Worker } from 'node:worker_threads';
import { buildGraph, EXACT_UP_TO } from '../models/index/graph.js';
import type { FromGraphThread, GraphTask, MadeGraph } from './graph-worker.js';

/**
 * Makes and saves the graph in a thread of its own: building takes about a millisecond a vector, and meanwhile
 * the lock must be kept fresh and the bar moving. That of a small catalogue is made at once, in less time than a thread takes to start.
 *
 * @param task its vectors are row-major, over shared memory, so that nothing is copied
 * @param onDone called now and then with the number of vectors done
 */
export async function buildGraphInThread(task: GraphTask, onDone: (done: number) => void): Promise<MadeGraph> {
  const { vectors, dims, file, isLarge, earlier } = task;
  if (!isLarge && earlier === null && vectors.length / dims <= EXACT_UP_TO) {
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

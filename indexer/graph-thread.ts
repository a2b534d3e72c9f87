import { Worker } from 'node:worker_threads';
import type { FromGraphThread, GraphTask, MadeGraph } from './graph-worker.js';

/**
 * Makes and saves the graph in a thread of its own: building takes about a millisecond a vector, and meanwhile
 * the lock must be kept fresh and the bar moving.
 *
 * @param task its vectors are row-major, over shared memory, so that nothing is copied
 * @param onDone called now and then with the number of vectors done
 */
export function makeGraphInThread(task: GraphTask, onDone: (done: number) => void): Promise<MadeGraph> {
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

import { Worker } from 'node:worker_threads';
import type { FromGraphThread, GraphTask } from './graph-worker.js';

/**
 * Builds and saves the graph in a thread of its own: building takes about a millisecond a vector, and meanwhile
 * the lock must be kept fresh and the bar moving.
 *
 * @param vectors row-major, over shared memory, so that nothing is copied
 * @param onDone called now and then with the number of vectors done
 */
export function buildGraphInThread(task: GraphTask, onDone: (done: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./graph-worker.js', import.meta.url), { workerData: task });
    worker.on('message', ({ done }: FromGraphThread) => onDone(done));
    worker.on('error', reject);
    worker.on('exit', (code) => (code === 0 ? resolve() : reject(new Error('building the graph failed'))));
  });
}

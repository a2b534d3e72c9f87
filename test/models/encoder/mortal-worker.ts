import { parentPort } from 'node:worker_threads';
import type { ToWorker } from '../../../models/encoder/worker.js';

/** An encoder's thread that a fault ends as soon as it has taken a task, as a fault of its own would, between two calls of the model. */
parentPort!.on('message', (message: ToWorker) => {
  if (message !== 'close') throw new Error('it dies of its first task');
});
await import('../../../models/encoder/worker.js');

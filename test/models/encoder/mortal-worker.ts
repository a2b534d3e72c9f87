import { parentPort } from 'node:worker_threads';
import type { ToThread } from '../../../platform/threads/requests.js';

/** An encoder worker that fails as soon as it gets a task, like a crash of its own between two calls of the model. */
parentPort!.on('message', (message: ToThread) => {
  if (message !== 'close') throw new Error('fails on its first task');
});
await import('../../../models/encoder/worker.js');

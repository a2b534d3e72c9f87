import { parentPort, workerData } from 'node:worker_threads';
import { setIdle } from '../../../platform/threads/at-exit.js';
import type { FromSearchThread, SearchThreadData } from '../../../models/usearch/search-worker.js';

/** A search thread that a fault ends as soon as it is asked. */
const { activity, vectors, dims } = workerData as SearchThreadData;
setIdle(activity);
parentPort!.on('message', () => {
  throw new Error('it dies of its first question');
});
parentPort!.postMessage({ size: vectors.length / dims } satisfies FromSearchThread);

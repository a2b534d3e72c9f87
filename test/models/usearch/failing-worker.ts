import { parentPort, workerData } from 'node:worker_threads';
import { setIdle } from '../../../platform/threads/at-exit.js';
import type { FromSearchThread, SearchThreadData } from '../../../models/usearch/search-worker.js';

/** A search thread that fails on its first search. */
const { activity, vectors, dims } = workerData as SearchThreadData;
setIdle(activity);
parentPort!.on('message', () => {
  throw new Error('test failure on the first search');
});
parentPort!.postMessage({ size: vectors.length / dims } satisfies FromSearchThread);

import { parentPort, workerData } from 'node:worker_threads';
import { answerOpening } from '../../../platform/threads/answer.js';
import { setIdle } from '../../../platform/threads/at-exit.js';
import type { SearchThreadData } from '../../../models/usearch/search-worker.js';

/** A search thread that fails on its first search. */
const { activity, vectors, dims } = workerData as SearchThreadData;
setIdle(activity);
parentPort!.on('message', () => {
  throw new Error('test failure on the first search');
});
answerOpening(parentPort!, { result: vectors.length / dims });

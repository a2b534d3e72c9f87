import { setTimeout as pause } from 'node:timers/promises';
import { searchExactlyInThread } from '../../indexer/recall-thread.js';
import { LARGE_FROM } from '../../models/snapshot/layout.js';
import { clusteredVectors } from '../support/clustered-vectors.js';

/** Exits with status 7, this many milliseconds after the search for recall's queries starts. */
const afterMs = Number(process.argv[2]);
const DIMS = 64;
const made = clusteredVectors(LARGE_FROM * 6, DIMS, 400);
const vectors = new Float32Array(new SharedArrayBuffer(made.byteLength));
vectors.set(made);
void searchExactlyInThread(vectors, DIMS);
await pause(afterMs);
process.exit(7);

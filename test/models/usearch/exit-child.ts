import { setTimeout as pause } from 'node:timers/promises';
import { openLargeSearch } from '../../../models/usearch/large-search.js';
import { clusteredVectors } from '../../support/clustered-vectors.js';
import { testCreative } from '../../support/test-snapshot.js';

/** Exits with status 7 the given number of milliseconds after searches of a graph began. */
const [afterMs, file] = process.argv.slice(2) as [string, string];
const DIMS = 256;
const SIZE = 20_000;
const vectors = clusteredVectors(SIZE, DIMS, 100);
const creatives = Array.from({ length: SIZE }, (_, at) => testCreative(`c${at}`));
const search = await openLargeSearch({ file, dims: DIMS, vectors, creatives });
for (let at = 0; at < 5000; at++)
  void Promise.resolve(search.nearest(vectors.slice(at * DIMS, (at + 1) * DIMS), 500, [])).catch(() => undefined);
await pause(Number(afterMs));
process.exit(7);

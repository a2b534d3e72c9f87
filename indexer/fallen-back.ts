import { FIRST_INDEX, LARGE_FROM } from '../models/snapshot/layout.js';
import type { StoredCatalogue } from '../models/snapshot/load-snapshot.js';
import { usesUsearch } from '../models/snapshot/read-vectors.js';
import type { EncodedVectors } from './embed-catalogue.js';
import { isMadeBy } from './stored-vectors.js';

/**
 * Returns whether the live snapshot is a large catalogue with an hnswlib graph, because recall over 8-bit vectors was
 * too low, and most of its vectors keep their places. That graph is then continued, instead of building a usearch graph
 * that would fail again.
 *
 * @param live the live snapshot; null: nothing is live, or it cannot be read
 * @param encoded the first encoder's vectors of the catalogue to publish
 */
export function hasFallenBack(live: StoredCatalogue | null, { source, vectors }: EncodedVectors): boolean {
  if (live === null || live.creatives.length < LARGE_FROM) return false;
  const { manifest } = live;
  // Releases that did not write `telling` built an hnswlib graph for every catalogue.
  if (
    manifest.telling === undefined ||
    !isMadeBy(source, manifest, FIRST_INDEX) ||
    usesUsearch(manifest, FIRST_INDEX)
  ) {
    return false;
  }
  const size = vectors.length / source.dims;
  const most = Math.max(size, live.creatives.length);
  return most - unchangedRows(live.vectors, vectors, source.dims) <= MOST_CHANGED * size;
}

/** usearch is tried again if more than this share of the vectors has changed. */
const MOST_CHANGED = 0.2;

/** Counts the rows that are the same in both, in the same place. */
function unchangedRows(one: Float32Array, other: Float32Array, dims: number): number {
  const length = Math.min(one.length, other.length);
  let unchanged = 0;
  for (let from = 0; from < length; from += dims) {
    let at = from;
    while (at < from + dims && one[at] === other[at]) at++;
    if (at === from + dims) unchanged++;
  }
  return unchanged;
}

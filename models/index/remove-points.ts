import { type GraphFile, HEADER } from './graph-file.js';
import { dot } from './vector-index.js';

/**
 * Rewires links around points to be removed: each link to such a point is replaced by a link to the nearest of that
 * point's neighbours. All other links stay unchanged.
 *
 * @param gone by point: 1 if it is to be removed
 */
export function rewireAround(graph: GraphFile, gone: Uint8Array): void {
  for (let point = 0; point < graph.points; point++) {
    if (gone[point] === 1) continue;
    for (let level = graph.levelOf(point); level >= 0; level--) replaceGone(graph, gone, point, level);
  }
}

function replaceGone(graph: GraphFile, gone: Uint8Array, point: number, level: number): void {
  const { words } = graph;
  const list = graph.listAt(point, level);
  const end = list + 1 + words[list]!;
  let to = list + 1;
  const lost: number[] = [];
  for (let at = list + 1; at < end; at++) {
    const link = words[at]!;
    if (gone[link] === 1) lost.push(link);
    else words[to++] = link;
  }
  if (lost.length === 0) return;
  const kept = words.subarray(list + 1, to);
  const nearby = new Map<number, number>();
  const own = vectorOf(graph, point);
  for (const link of lost) {
    const linkList = graph.listAt(link, level);
    for (let at = linkList + words[linkList]!; at > linkList; at--) {
      const other = words[at]!;
      if (other === point || gone[other] === 1 || nearby.has(other) || kept.includes(other)) continue;
      nearby.set(other, dot(graph.floats, graph.vectorAt(other), own));
    }
  }
  const nearest = [...nearby].toSorted(([, one], [, other]) => other - one);
  for (const [other] of nearest.slice(0, lost.length)) words[to++] = other;
  words[list] = to - list - 1;
  words.fill(0, to, end);
}

function vectorOf({ floats, dims, ...graph }: GraphFile, point: number): Float32Array {
  const from = graph.vectorAt(point);
  return floats.subarray(from, from + dims);
}

/**
 * Compacts the remaining points in place and relabels them. Afterwards `graph` itself is unusable. No link may lead to
 * a removed point.
 *
 * @param labels by point: its new label, or -1 if it is removed
 * @returns the bytes of the new file; null if no point remains
 */
export function removePoints(graph: GraphFile, labels: Int32Array): Uint8Array | null {
  const { words, points, stride } = graph;
  const places = new Int32Array(points).fill(-1);
  let staying = 0;
  for (let point = 0; point < points; point++) if (labels[point] !== -1) places[point] = staying++;
  const entry = entryOf(graph, labels);
  if (entry === null) return null;
  const topLevel = graph.levelOf(entry);
  let to: number = HEADER.words;
  for (let point = 0; point < points; point++) {
    const level = graph.levelOf(point);
    if (labels[point] === -1) continue;
    for (let each = 0; each <= level; each++) renumber(words, graph.listAt(point, each), places);
    words[graph.labelAt(point)] = labels[point]!;
    const from = graph.listAt(point, 0);
    words.copyWithin(to, from, from + stride);
    to += stride;
  }
  // The lists above the ground level start where the last of the original points ended. Each is moved to the front,
  // after the remaining points.
  for (let point = 0, from = HEADER.words + points * stride; point < points; point++) {
    const length = 1 + words[from]! / 4;
    if (labels[point] !== -1) {
      words.copyWithin(to, from, from + length);
      to += length;
    }
    from += length;
  }
  words[HEADER.capacity] = staying;
  words[HEADER.points] = staying;
  words[HEADER.topLevel] = topLevel;
  words[HEADER.entry] = places[entry]!;
  return new Uint8Array(words.buffer, 0, 4 * to);
}

function renumber(words: Uint32Array, list: number, places: Int32Array): void {
  for (let at = list + words[list]!; at > list; at--) words[at] = places[words[at]!]!;
}

/** Returns the old entry point if it remains, otherwise the first remaining point of the highest level. */
function entryOf({ points, entry, levelOf }: GraphFile, labels: Int32Array): number | null {
  if (points > 0 && labels[entry] !== -1) return entry;
  let found: number | null = null;
  for (let point = 0; point < points; point++) {
    if (labels[point] !== -1 && (found === null || levelOf(point) > levelOf(found))) found = point;
  }
  return found;
}

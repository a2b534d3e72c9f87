/** Parameters that a saved graph must have been built with to be continued. */
export interface GraphParameters {
  readonly dims: number;
  /** Links per node above the ground level; the ground level has twice as many. */
  readonly links: number;
  readonly buildWidth: number;
}

/**
 * A saved graph in its file format: 32-bit words. hnswlib can neither relabel nor remove points, so this module reads
 * its format (0.8, little-endian) directly. Points are numbered in file order. Each has a vector, a label, and a list
 * of links on every level from 0, which has all points, up to its own level.
 */
export interface GraphFile {
  readonly words: Uint32Array;
  /** View of the same memory as `words`. */
  readonly floats: Float32Array;
  readonly dims: number;
  readonly points: number;
  /** The point that searches start from; `topLevel` is its level. */
  readonly entry: number;
  readonly topLevel: number;
  /** Number of words from one point to the next. */
  readonly stride: number;
  readonly levelOf: (point: number) => number;
  /** Returns the offset of a link list in `words`: its length, followed by that many points. */
  readonly listAt: (point: number, level: number) => number;
  /** Returns the max number of links in a list. */
  readonly maxLinksOn: (level: number) => number;
  /** Returns the offset of a point's vector in `floats`. */
  readonly vectorAt: (point: number) => number;
  /** Returns the offset of a point's label in `words`. */
  readonly labelAt: (point: number) => number;
}

/** Header length in words, and the offsets of the header words that change with the points. */
export const HEADER = { words: 24, capacity: 2, points: 4, topLevel: 12, entry: 13 } as const;

/**
 * Opens a saved graph and checks its structure, so that following its links never leaves the buffer.
 *
 * @param bytes the whole file
 * @throws Error that names what differs from the expected structure
 */
export function openGraphFile(bytes: ArrayBuffer, { dims, links, buildWidth }: GraphParameters): GraphFile {
  if (bytes.byteLength < 4 * HEADER.words || bytes.byteLength % 4 !== 0) throw new Error('is not a saved graph');
  const words = new Uint32Array(bytes);
  const ground = 1 + 2 * links;
  const stride = ground + dims + 2;
  const points = words[HEADER.points]!;
  // 64-bit numbers whose upper half is zero. The other header words hold the level, the entry point, and values that
  // follow from `links`.
  const expected: readonly (readonly [name: string, at: number, value: number])[] = [
    ['offset of the ground level', 0, 0],
    ['size of a point', 6, 4 * stride],
    ['offset of labels', 8, 4 * (ground + dims)],
    ['offset of vectors', 10, 4 * ground],
    ['links', 14, links],
    ['links on the ground level', 16, 2 * links],
    ['requested links', 18, links],
    ['build width', 22, buildWidth],
  ];
  for (const [name, at, value] of expected) {
    if (words[at] !== value || words[at + 1] !== 0) throw new Error(`has another ${name}: ${words[at]}, not ${value}`);
  }
  const upper = findUpperLists(words, HEADER.words + points * stride, points, 1 + links);
  const graph: GraphFile = {
    words,
    floats: new Float32Array(bytes),
    dims,
    points,
    entry: words[HEADER.entry]!,
    topLevel: words[HEADER.topLevel]! | 0,
    stride,
    levelOf: (point) => words[upper[point]!]! / (4 * (1 + links)),
    listAt: (point, level) =>
      level === 0 ? HEADER.words + point * stride : upper[point]! + 1 + (level - 1) * (1 + links),
    maxLinksOn: (level) => (level === 0 ? 2 * links : links),
    vectorAt: (point) => HEADER.words + point * stride + ground,
    labelAt: (point) => HEADER.words + point * stride + ground + dims,
  };
  checkLinks(graph);
  return graph;
}

/**
 * Locates the link lists above the ground level. They follow the points: per point the lists' length in bytes, then the
 * lists.
 *
 * @returns by point: the offset of that length
 */
function findUpperLists(words: Uint32Array, from: number, points: number, listWords: number): Float64Array {
  const upper = new Float64Array(points);
  let at = from;
  for (let point = 0; point < points; point++) {
    const bytes = words[at] ?? Infinity;
    if (bytes % (4 * listWords) !== 0) throw new Error(`is cut short, or damaged at point ${point}`);
    upper[point] = at;
    at += 1 + bytes / 4;
  }
  if (at !== words.length) throw new Error('is not as long as its points require');
  return upper;
}

function checkLinks(graph: GraphFile): void {
  const { words, points, entry, topLevel } = graph;
  if (points > 0 && (entry >= points || graph.levelOf(entry) !== topLevel)) throw new Error('has no entry point');
  for (let point = 0; point < points; point++) {
    for (let level = graph.levelOf(point); level >= 0; level--) {
      const list = graph.listAt(point, level);
      // A deletion mark would be in the upper half of the length word.
      if (words[list]! > graph.maxLinksOn(level)) throw new Error(`has too many links at point ${point}`);
      for (let at = list + words[list]!; at > list; at--) {
        const other = words[at]!;
        if (other >= points || (level > 0 && graph.levelOf(other) < level))
          throw new Error(`has an invalid link at point ${point}`);
      }
    }
  }
}

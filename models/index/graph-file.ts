/** What a graph must have been built with to be continued. */
export interface GraphParameters {
  readonly dims: number;
  /** Links per node above the ground level; there, twice as many. */
  readonly links: number;
  readonly buildWidth: number;
}

/**
 * A saved graph as it lies in its file: words of 32 bits. hnswlib can neither rename points nor take them out, so that its format
 * (0.8, little-endian) is read here. Points are counted in the order of the file; each has a vector, a label, and a list of
 * links on every level from 0, where all are, to its own.
 */
export interface GraphFile {
  readonly words: Uint32Array;
  /** The same memory as `words`. */
  readonly floats: Float32Array;
  readonly dims: number;
  readonly points: number;
  /** The point that searches start from, and its level. */
  readonly entry: number;
  readonly topLevel: number;
  /** Words from one point to the next. */
  readonly stride: number;
  readonly levelOf: (point: number) => number;
  /** Where a list stands in `words`: first its length, then as many points. */
  readonly listAt: (point: number, level: number) => number;
  /** The most links of a list. */
  readonly roomOn: (level: number) => number;
  /** Where a point's vector stands in `floats`. */
  readonly vectorAt: (point: number) => number;
  /** Where a point's label stands in `words`. */
  readonly labelAt: (point: number) => number;
}

/** Words of the header, and those that are changed with the points. */
export const HEADER = { words: 24, room: 2, points: 4, topLevel: 12, entry: 13 } as const;

/**
 * Checks the form of a saved graph, so that whoever follows its links stays within it.
 *
 * @param bytes the whole file
 * @throws Error saying what is not as expected
 */
export function openGraphFile(bytes: ArrayBuffer, { dims, links, buildWidth }: GraphParameters): GraphFile {
  if (bytes.byteLength < 4 * HEADER.words || bytes.byteLength % 4 !== 0) throw new Error('is not a saved graph');
  const words = new Uint32Array(bytes);
  const ground = 1 + 2 * links;
  const stride = ground + dims + 2;
  const points = words[HEADER.points]!;
  // Numbers of 64 bits, of which the upper half is zero; the rest is the level, the entry point and what follows from `links`.
  const expected: readonly (readonly [name: string, at: number, value: number])[] = [
    ['ground', 0, 0],
    ['size of a point', 6, 4 * stride],
    ['place of labels', 8, 4 * (ground + dims)],
    ['place of vectors', 10, 4 * ground],
    ['links', 14, links],
    ['links on the ground', 16, 2 * links],
    ['links asked for', 18, links],
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
    roomOn: (level) => (level === 0 ? 2 * links : links),
    vectorAt: (point) => HEADER.words + point * stride + ground,
    labelAt: (point) => HEADER.words + point * stride + ground + dims,
  };
  checkLinks(graph);
  return graph;
}

/** Behind the points: for each how many bytes its lists above the ground take, then these. @returns where they begin */
function findUpperLists(words: Uint32Array, from: number, points: number, listWords: number): Float64Array {
  const upper = new Float64Array(points);
  let at = from;
  for (let point = 0; point < points; point++) {
    const bytes = words[at] ?? Infinity;
    if (bytes % (4 * listWords) !== 0) throw new Error(`is cut short, or damaged at point ${point}`);
    upper[point] = at;
    at += 1 + bytes / 4;
  }
  if (at !== words.length) throw new Error('is not as long as its points ask for');
  return upper;
}

function checkLinks(graph: GraphFile): void {
  const { words, points, entry, topLevel } = graph;
  if (points > 0 && (entry >= points || graph.levelOf(entry) !== topLevel)) throw new Error('has no entry point');
  for (let point = 0; point < points; point++) {
    for (let level = graph.levelOf(point); level >= 0; level--) {
      const list = graph.listAt(point, level);
      // A mark of deletion would stand in the upper half of the length.
      if (words[list]! > graph.roomOn(level)) throw new Error(`has too many links at point ${point}`);
      for (let at = list + words[list]!; at > list; at--) {
        const other = words[at]!;
        if (other >= points || (level > 0 && graph.levelOf(other) < level))
          throw new Error(`links point ${point} amiss`);
      }
    }
  }
}

import type { Workload } from './inputs.js';

/** Rows of sums per day, by how long they are kept. */
export interface SumRows {
  /** Kept forever. */
  readonly aDay: number;
  /** Kept as long as raw events. */
  readonly minutesADay: number;
}

const QUARTERS = 96;
const MINUTES = 1440;

/**
 * Returns how many sums all nodes create in a day. Each node has its own rows: one for each publisher, creative and
 * kind that occurs in a quarter of an hour and in a day; for decisions, also in each minute. A few publishers and
 * creatives have most of the traffic (`skewed` in `test/bench/filled-month.ts`: the cube of a uniform number).
 *
 * @param matchesADay of all nodes
 */
export function sumRowsADay(workload: Workload, nodes: number, matchesADay: number): SumRows {
  const { publishers, creatives, fillRate, impressionRate, viewRate, clickRate } = workload;
  const ads = (matchesADay * fillRate) / nodes;
  const shown = ads * impressionRate;
  // A decision counts twice, the second time by language.
  const kinds = [ads, ads, shown, shown * viewRate, shown * clickRate];
  const rows = (drawn: readonly number[], spans: number): number =>
    nodes * spans * drawn.reduce((sum, each) => sum + distinctPairs(each / spans, publishers, creatives), 0);
  // Coarser sums add some more: those of a day by creative, at most as many as a day's.
  const days = rows(kinds, 1);
  return { aDay: rows(kinds, QUARTERS) + 2 * days, minutesADay: rows([ads, ads], MINUTES) };
}

/** Returns the expected number of distinct pairs among this many draws. */
export function distinctPairs(draws: number, publishers: number, creatives: number): number {
  let met = 0;
  for (const one of skewedBins(publishers)) {
    for (const other of skewedBins(creatives)) {
      const [pairs, share] = [one.count * other.count, one.share * other.share];
      met += pairs * -Math.expm1(-(draws * share) / pairs);
    }
  }
  return met;
}

interface Bin {
  readonly count: number;
  readonly share: number;
}

const BINS = 40;
const bins = new Map<number, readonly Bin[]>();

/** Groups the ranks 1 to `size` into bins of increasing size, each with its share of draws by `floor(u³ · size)`. */
function skewedBins(size: number): readonly Bin[] {
  const known = bins.get(size);
  if (known !== undefined) return known;
  const ends = [...new Set(Array.from({ length: BINS }, (_, at) => Math.round(size ** ((at + 1) / BINS))))];
  const made = ends.map((end, at): Bin => {
    const begin = ends[at - 1] ?? 0;
    return { count: end - begin, share: Math.cbrt(end / size) - Math.cbrt(begin / size) };
  });
  bins.set(size, made);
  return made;
}

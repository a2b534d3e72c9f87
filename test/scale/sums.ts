import type { Workload } from './inputs.js';

/** Rows that sums take, by how long they are kept. */
export interface SumRows {
  /** For ever, for each day. */
  readonly aDay: number;
  /** As long as raw events, for each day. */
  readonly minutesADay: number;
}

const QUARTERS = 96;
const MINUTES = 1440;

/**
 * How many sums all nodes begin in a day: each has rows of its own, one for each publisher, creative and kind that it meets in
 * a quarter of an hour and in a day; decisions in each minute, too. A few publishers and creatives have most of the traffic
 * (`skewed` in `test/bench/filled-month.ts`: a uniform number's third power).
 *
 * @param matchesADay of all nodes
 */
export function sumRowsADay(workload: Workload, nodes: number, matchesADay: number): SumRows {
  const { publishers, creatives, fillRate, impressionRate, viewRate, clickRate } = workload;
  const ads = (matchesADay * fillRate) / nodes;
  const shown = ads * impressionRate;
  // A decision, and once more by its language.
  const kinds = [ads, ads, shown, shown * viewRate, shown * clickRate];
  const rows = (drawn: readonly number[], spans: number): number =>
    nodes * spans * drawn.reduce((sum, each) => sum + distinctPairs(each / spans, publishers, creatives), 0);
  // Coarser ones are some more: of a day by creative, which are as many as a day's at most.
  const days = rows(kinds, 1);
  return { aDay: rows(kinds, QUARTERS) + 2 * days, minutesADay: rows([ads, ads], MINUTES) };
}

/** How many different pairs so many draws meet, on average. */
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

/** The ranks 1 to `size` in groups that grow; of each group the share of draws, by `floor(u³ · size)`. */
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

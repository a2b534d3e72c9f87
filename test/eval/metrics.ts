/** One context of a set with its ranking, best first. */
export interface Judged {
  /** Ids of the relevant creatives; empty if the right decision is no ad. */
  readonly relevant: readonly string[];
  readonly ranked: readonly (readonly [id: string, score: number])[];
}

export interface Metrics {
  readonly contexts: number;
  readonly answerable: number;
  readonly noAd: number;
  readonly 'hit@1': number;
  readonly 'hit@10': number;
  readonly 'mrr@10': number;
  readonly 'ndcg@10': number;
  readonly auroc: number | null;
  /** By the share of the answerable contexts that get an ad, in percent. */
  readonly fill: Readonly<Record<string, FillPoint>>;
}

/** The ads served at the threshold at which `fill` of the answerable contexts get one. */
export interface FillPoint {
  readonly threshold: number | null;
  readonly precision: number | null;
  readonly filled: number;
  readonly noAdShown: number | null;
}

const FILLS = [0.5, 0.6, 0.7, 0.9];

/**
 * Computes the measures of the public sets: hit@1, hit@10, MRR@10 and nDCG@10 (binary gains) over contexts with
 * relevant ads; AUROC of the top score between contexts with and without; precision of the served ads if 50, 60, 70 and
 * 90 % of the contexts with relevant ads are filled. Rounded to four decimals.
 *
 * @param calibration contexts from which the thresholds are taken (dev); by default the scored contexts themselves
 */
export function metrics(contexts: readonly Judged[], calibration: readonly Judged[] = contexts): Metrics {
  const answerable = contexts.filter(isAnswerable);
  const empty = contexts.filter((context) => !isAnswerable(context));
  return {
    contexts: contexts.length,
    answerable: answerable.length,
    noAd: empty.length,
    'hit@1': round(mean(answerable.map((context) => hit(context, 1)))),
    'hit@10': round(mean(answerable.map((context) => hit(context, 10)))),
    'mrr@10': round(mean(answerable.map(reciprocalRank))),
    'ndcg@10': round(mean(answerable.map(ndcg))),
    auroc: auroc(answerable.map(top), empty.map(top)),
    fill: Object.fromEntries(
      FILLS.map((fill) => [
        String(Math.round(fill * 100)),
        fillPoint(contexts, threshold(calibration.filter(isAnswerable), fill)),
      ]),
    ),
  };
}

const isAnswerable = ({ relevant }: Judged): boolean => relevant.length > 0;

const top = ({ ranked }: Judged): number => ranked[0]?.[1] ?? -Infinity;

function isRight({ relevant, ranked }: Judged): boolean {
  return ranked[0] !== undefined && relevant.includes(ranked[0][0]);
}

/** Returns the positions of the relevant ads among the first ten, from 1. */
function places({ relevant, ranked }: Judged): number[] {
  return ranked.slice(0, 10).flatMap(([id], at) => (relevant.includes(id) ? [at + 1] : []));
}

function hit(context: Judged, within: number): number {
  return places(context).some((place) => place <= within) ? 1 : 0;
}

function reciprocalRank(context: Judged): number {
  const [first] = places(context);
  return first === undefined ? 0 : 1 / first;
}

function ndcg(context: Judged): number {
  const gain = (place: number) => 1 / Math.log2(place + 1);
  const ideal = Array.from({ length: Math.min(10, context.relevant.length) }, (_, at) => gain(at + 1));
  return sum(places(context).map(gain)) / sum(ideal);
}

/** Returns the probability that a random positive is above a random negative; ties count half. */
export function auroc(positive: readonly number[], negative: readonly number[]): number | null {
  if (positive.length === 0 || negative.length === 0) return null;
  const sorted = Float64Array.from(negative).sort();
  const wins = positive.map((value) => (countBelow(sorted, value, false) + countBelow(sorted, value, true)) / 2);
  return round(sum(wins) / (positive.length * negative.length));
}

/** Counts how many of `sorted` are below `value`, or not above it. */
function countBelow(sorted: Float64Array, value: number, orEqual: boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = sorted[middle]!;
    if (at < value || (orEqual && at === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the highest top score at which at least `fill` of the answerable contexts get an ad. */
function threshold(answerable: readonly Judged[], fill: number): number {
  const tops = answerable.map(top).toSorted((a, b) => b - a);
  return tops[Math.max(0, Math.ceil(fill * tops.length) - 1)] ?? Infinity;
}

/** Returns the result at one threshold. */
export function fillPoint(contexts: readonly Judged[], cut: number): FillPoint {
  const shown = contexts.filter((context) => context.ranked.length > 0 && top(context) >= cut);
  const answerable = contexts.filter(isAnswerable).length;
  const empty = contexts.length - answerable;
  return {
    threshold: Number.isFinite(cut) ? cut : null,
    precision: shown.length === 0 ? null : round(shown.filter(isRight).length / shown.length),
    filled: round(shown.filter(isAnswerable).length / Math.max(1, answerable)),
    noAdShown: empty === 0 ? null : round(shown.filter((context) => !isAnswerable(context)).length / empty),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => (values.length === 0 ? 0 : sum(values) / values.length);
const round = (value: number): number => Math.round(value * 1e4) / 1e4;

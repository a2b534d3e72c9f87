import type { Calendar } from '../../../platform/time/calendar.js';
import type { IdsByDetail } from './dimension-sets.js';
import { dayStart, ROLL_UPS } from './roll-ups.js';
import { VOIDED, type Counted, type Grain } from './schema.js';

/** A counter's key and what to add to it, in the order of the table's columns. */
export type CounterRow = [
  grain: Grain,
  start: number,
  dimensionSet: number,
  counted: Counted,
  reason: string,
  times: number,
  micros: number,
];

/** What is billed and how many times more, in the order of the table's columns. */
export type BilledRow = [
  month: number,
  day: number,
  dimensionSet: number,
  kind: Counted,
  price_micros: number,
  times: number,
];

/** Adds up what one batch does to the roll-ups, so that each of their rows is written once a batch. */
export interface BatchTotals {
  /** An event of `at` (epoch milliseconds) that has a row of its own; `month` is the one that bills it. */
  addStored(at: number, of: IdsByDetail, counted: Counted, reason: string, micros: number, month: number): void;
  /** Decisions and ignored events: only counters know of them, so these go down to the minute (since the epoch). */
  addUnstored(minute: number, of: IdsByDetail, counted: Counted, reason: string, times: number): void;
  /** Events of `at` that were counted, with their price, and are void. What they were counted as stays as it is. */
  addVoided(at: number, of: IdsByDetail, counted: Counted, times: number, micros: number): void;
  counters(): Iterable<CounterRow>;
  billed(): Iterable<BilledRow>;
}

const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;

export function createBatchTotals(calendar: Calendar): BatchTotals {
  const cells = new Map<string, CounterRow>();
  const bills = new Map<string, BilledRow>();

  const add = (...[grain, start, dimensionSet, counted, reason, times, micros]: CounterRow): void => {
    const key = `${grain}/${start}/${dimensionSet}/${counted}/${reason}`;
    const cell = cells.get(key);
    if (cell === undefined) {
      cells.set(key, [grain, start, dimensionSet, counted, reason, times, micros]);
    } else {
      cell[5] += times;
      cell[6] += micros;
    }
  };
  const bill = (...once: BilledRow): void => {
    const key = once.slice(0, 5).join('/');
    const cell = bills.get(key);
    if (cell === undefined) bills.set(key, once);
    else cell[5]++;
  };
  const dayOf = (at: number): number => dayStart(calendar.dateOf(at));
  const addWide = (at: number, of: IdsByDetail, ...what: [Counted, string, number, number]): void => {
    const starts = { quarter: Math.floor(at / QUARTER) * 15, day: dayOf(at) };
    for (const { grain, span, detail } of ROLL_UPS) add(grain, starts[span], of[detail], ...what);
  };

  return {
    addStored(at, of, counted, reason, micros, month) {
      addWide(at, of, counted, reason, 1, micros);
      if (micros > 0) bill(month, dayOf(at), of.creative, counted, micros, 1);
    },
    addUnstored(minute, of, counted, reason, times) {
      add('minute', minute, of.full, counted, reason, times, 0);
      addWide(minute * MINUTE, of, counted, reason, times, 0);
    },
    addVoided: (at, of, counted, times, micros) => addWide(at, of, counted, VOIDED, times, -micros),
    counters: () => cells.values(),
    billed: () => bills.values(),
  };
}

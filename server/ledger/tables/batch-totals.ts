import type { EventKind } from '../../../models/schema/event-kinds.js';
import type { Calendar } from '../../../platform/time/calendar.js';
import { MINUTE, QUARTER_HOUR } from '../../../platform/time/durations.js';
import type { IdsByDetail } from './dimension-sets.js';
import { dayStart, ROLL_UPS } from './roll-ups.js';
import { VOIDED, type Counted, type Grain, type StoredReason } from './schema.js';

/** A counter's key and the amounts to add to it, in the order of the table's columns. */
export type CounterRow = [
  grain: Grain,
  start: number,
  dimensionSet: number,
  counted: Counted,
  reason: string,
  times: number,
  micros: number,
];

/** A billed price and how many events to add at it, in the order of the table's columns. */
export type BilledRow = [
  month: number,
  day: number,
  dimensionSet: number,
  kind: Counted,
  price_micros: number,
  times: number,
];

/** The part of a stored event that decides what is added to the roll-ups. */
export interface StoredEvent {
  readonly kind: EventKind;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly reason: StoredReason;
  readonly priceMicros: number;
  /** The month that bills the event. */
  readonly month: number;
}

/** Adds up a batch's changes to the roll-ups, so that each of their rows is written once per batch. */
export interface BatchTotals {
  /** Adds an event that is stored as a row. */
  addStored(event: StoredEvent, ids: IdsByDetail): void;
  /** Adds decisions and ignored events. Only counters hold these, so they are kept by the minute (since the epoch). */
  addUnstored(minute: number, of: IdsByDetail, counted: Counted, reason: string, times: number): void;
  /** Adds voided events, dated `at`, with their price. The counters that counted them stay as they are. */
  addVoided(at: number, of: IdsByDetail, counted: Counted, times: number, micros: number): void;
  counters(): Iterable<CounterRow>;
  billed(): Iterable<BilledRow>;
}

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
    const starts = { quarter: Math.floor(at / QUARTER_HOUR) * 15, day: dayOf(at) };
    for (const { grain, span, detail } of ROLL_UPS) add(grain, starts[span], of[detail], ...what);
  };

  return {
    addStored({ at, kind, reason, priceMicros, month }, ids) {
      addWide(at, ids, kind, reason, 1, priceMicros);
      if (priceMicros > 0) bill(month, dayOf(at), ids.creative, kind, priceMicros, 1);
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

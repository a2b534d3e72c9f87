import type { Calendar } from './calendar.js';
import type { Counted, Grain } from './schema.js';

/** A counter's key and what to add to it, in the order of the table's columns. */
export type Cell = [
  grain: Grain,
  start: number,
  placement: number,
  counted: Counted,
  reason: string,
  times: number,
  micros: number,
];

/** Adds up what one batch does to the counters, so that each of them is written once a batch. */
export interface Cells {
  /** An event that has a row of its own. `minute` counts from the epoch. */
  addStored(minute: number, placement: number, counted: Counted, reason: string, micros: number): void;
  /** Decisions and ignored events: only counters know of them, so these go down to the minute. */
  addUnstored(minute: number, placement: number, counted: Counted, reason: string, times: number): void;
  values(): Iterable<Cell>;
}

export function createCells(calendar: Calendar): Cells {
  const cells = new Map<string, Cell>();

  const add = (...[grain, start, placement, counted, reason, times, micros]: Cell): void => {
    const key = `${grain}/${start}/${placement}/${counted}/${reason}`;
    const cell = cells.get(key);
    if (cell === undefined) {
      cells.set(key, [grain, start, placement, counted, reason, times, micros]);
    } else {
      cell[5] += times;
      cell[6] += micros;
    }
  };
  const addWide = (minute: number, ...what: [number, Counted, string, number, number]): void => {
    add('quarter', minute - (minute % 15), ...what);
    add('day', Date.parse(calendar.dateOf(minute * 60_000)) / 60_000, ...what);
  };

  return {
    addStored: (minute, placement, counted, reason, micros) => addWide(minute, placement, counted, reason, 1, micros),
    addUnstored(minute, placement, counted, reason, times) {
      add('minute', minute, placement, counted, reason, times, 0);
      addWide(minute, placement, counted, reason, times, 0);
    },
    values: () => cells.values(),
  };
}

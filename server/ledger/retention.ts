import type { Database, Statement } from 'better-sqlite3';
import { sql } from 'kysely';
import { createCalendar } from '../../models/time/calendar.js';
import { queries } from './database.js';
import { readKeptFrom, writeKeptFrom } from './installation.js';

const DAY = 24 * 3_600_000;
/** Events looked at in one step: a few milliseconds, which no beacon notices. */
const SLICE = 5000;
/** Minutes whose counters one step deletes. */
const MINUTES = 60;

/** Deletes raw events and minutes that were kept long enough. What they add up to stays for ever. */
export interface Retention {
  /**
   * Does a small part of the work in a transaction of its own. `now` is epoch milliseconds.
   *
   * @returns false once nothing is left to do
   */
  step(now: number): boolean;
}

/**
 * Walks through the events in the order in which they lie, by id: no index by time is needed, which every event would
 * have to pay for. Whole days of the installation's time zone go at once, so that what is kept can be summed up again.
 *
 * @param keepDays more than a request id counts, or a pruned event could be counted again
 */
export function createRetention(database: Database, timeZone: string, keepDays: number): Retention {
  const calendar = createCalendar(timeZone);
  const [findOldest, findEnd, deleteMinutes, deleteEvents, deleteRest] = prepare(database);
  let after: Buffer | undefined;
  let until = 0;

  const begin = (now: number): void => {
    until = Math.max(readKeptFrom(database), calendar.startOf(calendar.dateOf(now - keepDays * DAY)));
    // Before the first is gone: a rebuild must not take what is left of a day for all of it.
    writeKeptFrom(database, until);
    after = Buffer.alloc(0);
  };
  const pruneMinutes = (): boolean => {
    const { start } = findOldest!.get() as { start: number | null };
    if (start === null || start >= until / 60_000) return false;
    deleteMinutes!.run(Math.min(start + MINUTES, until / 60_000));
    return true;
  };
  const pruneSlice = (from: Buffer): Buffer | undefined => {
    const end = (findEnd!.get(from) as { id: Buffer } | undefined)?.id;
    if (end === undefined) deleteRest!.run(from, until);
    else deleteEvents!.run(from, end, until);
    return end;
  };
  const step = database.transaction((now: number): boolean => {
    if (after === undefined) begin(now);
    if (pruneMinutes()) return true;
    const next = pruneSlice(after!);
    after = next;
    return next !== undefined;
  });
  return { step: (now) => step.immediate(now) };
}

// Written into the statements' text, so that only what changes is bound.
const sqlMinute = sql.lit('minute' as const);
const sqlOne = sql.lit(1);
const sqlSlice = sql.lit(SLICE - 1);

function prepare(database: Database): Statement[] {
  const none = Buffer.alloc(0);
  const minutes = queries.deleteFrom('counters').where('grain', '=', sqlMinute).where('start', '<', 0);
  return [
    queries
      .selectFrom('counters')
      .where('grain', '=', sqlMinute)
      .select(({ fn }) => fn.min('start').as('start')),
    queries.selectFrom('events').select('id').where('id', '>', none).orderBy('id').limit(sqlOne).offset(sqlSlice),
    minutes,
    queries.deleteFrom('events').where('id', '>', none).where('id', '<=', none).where('at', '<', 0),
    queries.deleteFrom('events').where('id', '>', none).where('at', '<', 0),
  ].map((query) => database.prepare(query.compile().sql));
}

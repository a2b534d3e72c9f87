import type { Database, Statement } from 'better-sqlite3';
import { sql } from 'kysely';
import { createCalendar } from '../../models/time/calendar.js';
import { queries } from './database.js';
import { readClockMark, readKeptFrom, writeKeptFrom } from './installation.js';

const DAY = 24 * 3_600_000;
const QUARTER = 15 * 60_000;
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
   * @throws SqliteError when nothing of this part was done; the next step does it
   */
  step(now: number): boolean;
}

/** How far the events are looked through: behind the id `after`, for those before the moment `until`. */
interface Walk {
  readonly after: Buffer;
  readonly until: number;
}

/**
 * Walks through the events in the order in which they lie, by id: no index by time is needed, which every event would
 * have to pay for. Whole days of the installation's time zone go at once, so that what is kept can be summed up again.
 *
 * @param keepDays more than a request id counts, or a pruned event could be counted again
 */
export function createRetention(database: Database, timeZone: string, keepDays: number): Retention {
  const calendar = createCalendar(timeZone);
  const [findOldest, findNewest, findEnd, deleteMinutes, deleteEvents, deleteRest] = prepare(database);
  let walk: Walk | null = null;

  const begin = (now: number): Walk | null => {
    const newest = findNewest!.get() as { start: number } | undefined;
    if (newest === undefined) return null;
    // Of several clocks the latest may be wrong, and what is deleted does not come back.
    const passed = Math.min(now, readClockMark(database) ?? now, newest.start * 60_000 + QUARTER);
    const until = calendar.startOf(calendar.dateOf(passed - keepDays * DAY));
    // Kept for longer than before: what lies before was deleted, and stays said to be.
    if (until < readKeptFrom(database)) return null;
    // Before the first is gone: a rebuild must not take what is left of a day for all of it.
    writeKeptFrom(database, until);
    return { after: Buffer.alloc(0), until };
  };
  const pruneMinutes = (until: number): boolean => {
    const { start } = findOldest!.get() as { start: number | null };
    if (start === null || start >= until / 60_000) return false;
    deleteMinutes!.run(Math.min(start + MINUTES, until / 60_000));
    return true;
  };
  const pruneSlice = ({ after, until }: Walk): Walk | null => {
    const end = (findEnd!.get(after) as { id: Buffer } | undefined)?.id;
    if (end === undefined) deleteRest!.run(after, until);
    else deleteEvents!.run(after, end, until);
    return end === undefined ? null : { after: end, until };
  };
  const perform = database.transaction((now: number): Walk | null => {
    const current = walk ?? begin(now);
    if (current === null || pruneMinutes(current.until)) return current;
    return pruneSlice(current);
  });
  return {
    step(now) {
      // Known only once it is committed: a step that was rolled back has not begun.
      walk = perform.immediate(now);
      return walk !== null;
    },
  };
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
    // Any event of these two reasons has a row in `events`.
    queries
      .selectFrom('counters')
      .select('start')
      .where('grain', '=', sql.lit('quarter-total' as const))
      .where('counted', '<>', sql.lit('decision' as const))
      .where('reason', 'in', [sql.lit(''), sql.lit('test')])
      .orderBy('start', 'desc')
      .limit(sqlOne),
    queries.selectFrom('events').select('id').where('id', '>', none).orderBy('id').limit(sqlOne).offset(sqlSlice),
    minutes,
    queries.deleteFrom('events').where('id', '>', none).where('id', '<=', none).where('at', '<', 0),
    queries.deleteFrom('events').where('id', '>', none).where('at', '<', 0),
  ].map((query) => database.prepare(query.compile().sql));
}

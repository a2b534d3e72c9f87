import { sql } from 'kysely';
import { createCalendar } from '../../platform/time/calendar.js';
import { type LedgerDatabase, queries } from './tables/ledger-database.js';
import { readClockMark, readKeptFrom, writeKeptFrom } from './tables/accounting-basis.js';

const DAY = 24 * 3_600_000;
const QUARTER = 15 * 60_000;
/** Events looked at in one step: a few milliseconds where they are in memory. */
const SLICE = 5000;
/** Minutes whose counters one step deletes. */
const MINUTES = 60;

/** Deletes raw events and minutes that were kept long enough. What they add up to stays for ever. */
export interface Retention {
  /**
   * Does a small part of the work in a transaction of its own.
   *
   * @param now by the machine's clock, epoch milliseconds; where the ledger's mark or its newest event is earlier, that counts
   * @param waitMs as of `exclusively`
   * @returns false once nothing is left to do
   * @throws Error of the store when nothing of this part was done; the next step does it
   */
  step(now: number, waitMs?: number): boolean;
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
export function createRetention(database: LedgerDatabase, timeZone: string, keepDays: number): Retention {
  const calendar = createCalendar(timeZone);
  let walk: Walk | null = null;

  const begin = (now: number): Walk | null => {
    const [newest] = database.run(findNewest);
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
    const start = database.run(findOldest)[0]?.start ?? null;
    if (start === null || start >= until / 60_000) return false;
    database.run(deleteMinutes(Math.min(start + MINUTES, until / 60_000)));
    return true;
  };
  const pruneSlice = ({ after, until }: Walk): Walk | null => {
    const end = database.run(findEnd(after))[0]?.id;
    const old = queries.deleteFrom('events').where('id', '>', after).where('at', '<', until);
    database.run(end === undefined ? old : old.where('id', '<=', end));
    return end === undefined ? null : { after: end, until };
  };
  return {
    step(now, waitMs) {
      // Known only once it is committed: a step that was rolled back has not begun.
      const current = walk;
      if (current === null) walk = database.exclusively(() => begin(now), waitMs);
      // No batch takes events of that age any more; in PostgreSQL a slice may lie on thousands of pages, and batches go on beside it.
      else walk = database.besideBatches(() => (pruneMinutes(current.until) ? current : pruneSlice(current)), waitMs);
      return walk !== null;
    },
  };
}

const sqlMinute = sql.lit('minute' as const);

const findOldest = queries
  .selectFrom('counters')
  .where('grain', '=', sqlMinute)
  .select(({ fn }) => fn.min('start').as('start'));

/** Any event of these two reasons has a row in `events`. */
const findNewest = queries
  .selectFrom('counters')
  .select('start')
  .where('grain', '=', sql.lit('quarter-total' as const))
  .where('counted', '<>', sql.lit('decision' as const))
  .where('reason', 'in', [sql.lit(''), sql.lit('test')])
  .orderBy('start', 'desc')
  .limit(sql.lit(1));

function findEnd(after: Buffer) {
  const slice = queries.selectFrom('events').select('id').where('id', '>', after).orderBy('id');
  return slice.limit(sql.lit(1)).offset(sql.lit(SLICE - 1));
}

function deleteMinutes(until: number) {
  return queries.deleteFrom('counters').where('grain', '=', sqlMinute).where('start', '<', until);
}

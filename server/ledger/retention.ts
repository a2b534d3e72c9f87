import { sql } from '#kysely';
import { createCalendar } from '../../platform/time/calendar.js';
import { DAY, MINUTE, QUARTER_HOUR } from '../../platform/time/durations.js';
import { type LedgerDatabase, queries } from './tables/ledger-database.js';
import { readClockMark, readKeptFrom, writeKeptFrom } from './tables/accounting-basis.js';

/** Events checked in one step: a few milliseconds if they are in memory. */
const SLICE = 5000;
/** Minutes whose counters one step deletes. */
const MINUTES = 60;

/** Deletes raw events and minutes once they were kept long enough. Their sums are kept forever. */
export interface Retention {
  /**
   * Does a small part of the work in its own transaction.
   *
   * @param now the machine's time, epoch milliseconds; if the ledger clock's mark or the newest event is earlier, the
   * earliest counts
   * @param waitMs as in `exclusively`
   * @returns false once nothing is left to do
   * @throws Error of the store when this part was not done; the next step does it
   */
  step(now: number, waitMs?: number): boolean;
}

/**
 * Progress of a walk through the events: it goes on after the id `after`, and deletes events before the moment `until`.
 */
interface Walk {
  readonly after: Buffer;
  readonly until: number;
}

/**
 * Walks through the events in the order in which they are stored, by id. This needs no index by time, which would make
 * every write of an event more expensive. Whole days of the ledger's time zone are deleted, so that the sums of the
 * days kept can be rebuilt.
 *
 * @param keepDays longer than a request id is valid, or a deleted event could be counted again
 */
export function createRetention(database: LedgerDatabase, timeZone: string, keepDays: number): Retention {
  const calendar = createCalendar(timeZone);
  let walk: Walk | null = null;

  const begin = (now: number): Walk | null => {
    const [newest] = database.run(findNewest);
    if (newest === undefined) return null;
    // The latest of several clocks may be wrong, and deleted events cannot be restored.
    const passed = Math.min(now, readClockMark(database) ?? now, newest.start * MINUTE + QUARTER_HOUR);
    const until = calendar.startOf(calendar.dateOf(passed - keepDays * DAY));
    // The retention time was extended. Events before `keptFrom` are deleted already, so it must not move back.
    if (until < readKeptFrom(database)) return null;
    // Stored before the first event is deleted: a rebuild must not mistake the rest of a day for the whole day.
    writeKeptFrom(database, until);
    return { after: Buffer.alloc(0), until };
  };
  const pruneMinutes = (until: number): boolean => {
    const start = database.run(findOldest)[0]?.start ?? null;
    if (start === null || start >= until / MINUTE) return false;
    database.run(deleteMinutes(Math.min(start + MINUTES, until / MINUTE)));
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
      // Assigned only once the transaction is committed: after a rollback the same step runs again.
      const current = walk;
      if (current === null) walk = database.exclusively(() => begin(now), waitMs);
      // Batches no longer accept events of that age. In PostgreSQL a slice may be spread over thousands of pages, so
      // batches go on in the meantime.
      else walk = database.whileBatchesRun(() => (pruneMinutes(current.until) ? current : pruneSlice(current)), waitMs);
      return walk !== null;
    },
  };
}

const sqlMinute = sql.lit('minute' as const);

const findOldest = queries
  .selectFrom('counters')
  .where('grain', '=', sqlMinute)
  .select(({ fn }) => fn.min('start').as('start'));

/** Every event counted with one of these two reasons has a row in `events`. */
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

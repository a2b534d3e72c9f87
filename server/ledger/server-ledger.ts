import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Count, countOfIgnored, countsOfDecision, createPendingCounts } from './tables/batch.js';
import type { LedgerPlace } from './database.js';
import { createLedgerClock } from './ledger-clock.js';
import { type Ledger, LedgerUnavailableError, type Outcome, type UsageEvent, type Spend } from './tables/ledger.js';
import { startLedgerThread, startLedgerWorker, type StartWorker } from './ledger-thread.js';

const FLUSH_EVERY_MS = 1000;
/** Bounds how long a commit takes; and so many of the dearest clicks still add up exactly in a double. */
const MAX_EVENTS_PER_BATCH = 5000;
const MAX_PENDING_EVENTS = 100_000;
/** Of a backlog of counts, which a database that was away for long has, so many a commit: one of all would take longer than it may. */
const MAX_COUNTS_PER_BATCH = 5000;
/** While nothing else is written, the clock's mark is. */
const MARK_EVERY_MS = 60_000;

export interface LedgerOptions {
  /** A SQLite file, made when it is not there, in a directory that exists; or a PostgreSQL database. */
  readonly database: LedgerPlace;
  /** ISO 4217 code of the micros. */
  readonly currency: string;
  /** IANA time zone of the days that reports count in. */
  readonly timeZone: string;
  /** For how many days raw events are kept, longer than a request id counts; undefined: for ever. */
  readonly keepEventsDays?: number;
  /** How long a write waits for another process's write. */
  readonly busyTimeoutMs?: number;
  /** 1 commits each event alone; only the benchmark wants that. */
  readonly maxEventsPerBatch?: number;
  /** How many events may wait; more are unavailable at once. */
  readonly maxPendingEvents?: number;
  /** The machine's clock, epoch milliseconds. */
  readonly clock?: () => number;
  readonly startWorker?: StartWorker;
}

/** The ledger of one installation as one of its servers has it. */
export interface ServerLedger extends Ledger {
  /** The time to date ads and events by, epoch milliseconds: does not step back with the machine's clock. */
  now(): number;
  /** How far the machine's clock is ahead because it was set forward while this ran, milliseconds; 0: it is not. */
  ahead(): number;
  /**
   * Why counts or events could not be written last, which is tried every second, or cannot now, since the thread that writes is
   * being replaced; null: both can. For readiness.
   */
  readonly fault: Error | null;
  /**
   * What every account has spent in all and on the day of `at` (epoch milliseconds), the events recorded before
   * included. @throws Error while the ledger cannot be read
   */
  spending(at: number): Promise<readonly Spend[]>;
}

/**
 * Opens the ledger for this server, in a thread of its own. Commits are grouped, in SQLite as in PostgreSQL: while one is
 * under way, what comes in waits and then shares the next, so that one wait for the disk acknowledges many events.
 *
 * @throws LedgerRefusedError when the file or database cannot be opened, is of a newer version, or has counted in another
 * currency or time zone
 */
export async function createLedger(options: LedgerOptions): Promise<ServerLedger> {
  const { database: place, currency, timeZone, busyTimeoutMs = 3000, keepEventsDays = null } = options;
  const { maxEventsPerBatch: mostEventsABatch = MAX_EVENTS_PER_BATCH, startWorker = startLedgerWorker } = options;
  const { maxPendingEvents: mostEventsWaiting = MAX_PENDING_EVENTS } = options;
  const thread = await startLedgerThread({ place, currency, timeZone, busyTimeoutMs, keepEventsDays }, startWorker);
  const clock = createLedgerClock(options.clock ?? Date.now, thread.clockMark);
  const counts = createPendingCounts();
  const events: PendingEvent[] = [];
  let countsAreDue = false;
  let working: Promise<void> | undefined;
  /** Of the last write of each kind: that one succeeds says nothing of the other. */
  const faults: Record<'events' | 'counts', Error | null> = { events: null, counts: null };
  const faultNow = (): Error | null => faults.counts ?? faults.events;
  let markWritten = clock.mark();
  let closed = false;

  const commit = async (entries: readonly PendingEvent[], counted: readonly Count[]): Promise<void> => {
    const mark = clock.mark();
    const isNeeded = entries.length + counted.length > 0 || faultNow() !== null || mark - markWritten >= MARK_EVERY_MS;
    if (!isNeeded) return;
    try {
      const outcomes = await thread.write({ events: entries.map(({ event }) => event), counts: counted, clock: mark });
      // A write of nothing shows that events can be written again, as long as none come.
      if (entries.length > 0 || counted.length === 0) faults.events = null;
      if (counted.length > 0 || counts.size === 0) faults.counts = null;
      markWritten = mark;
      for (const [position, entry] of entries.entries()) entry.resolve(outcomes[position]!);
    } catch (error) {
      faults[counted.length > 0 ? 'counts' : 'events'] = error as Error;
      for (const count of counted) counts.add(count);
      for (const entry of entries) entry.reject(new LedgerUnavailableError(error));
    }
  };
  const work = async (): Promise<void> => {
    // The rest of this turn's events join the first one's commit.
    await nextTurn();
    while (events.length > 0 || countsAreDue) {
      if (events.length > 0) await commit(events.splice(0, mostEventsABatch), []);
      if (!countsAreDue) continue;
      // Apart from events: counts that cannot be written refuse none of them.
      const counted = counts.take(MAX_COUNTS_PER_BATCH);
      countsAreDue = false;
      await commit([], counted);
      if (counted.length === MAX_COUNTS_PER_BATCH && faults.counts === null) countsAreDue = true;
      if (faults.events !== null && counted.length > 0 && events.length === 0) await commit([], []);
    }
    working = undefined;
  };
  const wake = (): Promise<void> => (working ??= work());
  const flush = (): Promise<void> => {
    countsAreDue = true;
    return wake();
  };
  const everySecond = setInterval(() => void flush(), FLUSH_EVERY_MS).unref();

  return {
    get fault() {
      return faultNow() ?? (thread.ready ? null : new Error('the ledger is being opened'));
    },
    record: (event) =>
      new Promise((resolve, reject) => {
        const full = events.length >= mostEventsWaiting;
        if (closed || full)
          return reject(new LedgerUnavailableError(new Error(closed ? 'it is closed' : 'too many events wait')));
        events.push({ event, resolve, reject });
        void wake();
      }),
    now: () => clock.now(),
    ahead: () => clock.ahead(),
    spending: (at) => thread.spending(at),
    ignore: (event) => counts.add(countOfIgnored(event)),
    countDecision: (decision) => countsOfDecision(decision).forEach((count) => counts.add(count)),
    async close() {
      closed = true;
      clearInterval(everySecond);
      await flush();
      await thread.close();
      if (counts.size > 0) throw new LedgerUnavailableError(faultNow());
    },
  };
}

interface PendingEvent {
  readonly event: UsageEvent;
  resolve(outcome: Outcome): void;
  reject(error: Error): void;
}

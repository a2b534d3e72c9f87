import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Count, countOfIgnored, countsOfDecision, createPendingCounts } from './tables/batch.js';
import type { LedgerLocation } from './database.js';
import { createLedgerClock } from './ledger-clock.js';
import { type Ledger, LedgerUnavailableError, type Outcome, type UsageEvent, type Spend } from './tables/ledger.js';
import { startLedgerThread, startLedgerWorker, type StartWorker } from './ledger-thread.js';
import { createWriteFaults } from './write-faults.js';

const FLUSH_EVERY_MS = 1000;
/** Limits the time of a commit. The prices of so many of the most expensive clicks still add up exactly in a double. */
const MAX_EVENTS_PER_BATCH = 5000;
const MAX_PENDING_EVENTS = 100_000;
/** Limits a commit of counts: after a long outage of the database, one commit of the whole backlog would time out. */
const MAX_COUNTS_PER_BATCH = 5000;
/** The clock's mark is written this often if nothing else is. */
const MARK_EVERY_MS = 60_000;

export interface LedgerOptions {
  /** A SQLite file, created if missing, in an existing directory; or a PostgreSQL database. */
  readonly database: LedgerLocation;
  /** ISO 4217 code of the micros. */
  readonly currency: string;
  /** IANA time zone of the days in reports. */
  readonly timeZone: string;
  /** How many days raw events are kept, longer than a request id is valid; undefined: forever. */
  readonly keepEventsDays?: number;
  /** How long a write waits for another process that writes. */
  readonly busyTimeoutMs?: number;
  /** 1 commits each event by itself; only the benchmark uses that. */
  readonly maxEventsPerBatch?: number;
  /** How many events may wait; further ones fail at once with `LedgerUnavailableError`. */
  readonly maxPendingEvents?: number;
  /** The machine's clock, epoch milliseconds. */
  readonly clock?: () => number;
  readonly startWorker?: StartWorker;
  /** Absent: outages are not logged. */
  readonly log?: Pick<Logger, 'error' | 'info'>;
}

/** An installation's ledger, as one of its servers uses it. */
export interface ServerLedger extends Ledger {
  /** Returns the time that dates ads and events, epoch milliseconds. It does not step back with the machine's clock. */
  now(): number;
  /**
   * Returns how far (milliseconds) the machine's clock was set forward while this ran, as in `LedgerClock`; 0: it was
   * not.
   */
  ahead(): number;
  /**
   * Why the last write of counts or events failed, which is tried again every second, or while the writing thread is
   * being replaced, why its predecessor ended or could not open the ledger; null: both can be written. For readiness.
   */
  readonly fault: Error | null;
  /**
   * Returns what every account has spent in total and on the day of `at` (epoch milliseconds), including all events
   * recorded before.
   *
   * @throws Error while the ledger cannot be read
   */
  spending(at: number): Promise<readonly Spend[]>;
}

/**
 * Opens the ledger for this server, in its own thread. Commits are grouped in both stores: events that arrive during a
 * commit share the next one, so that one wait for the disk acknowledges many events.
 *
 * @throws LedgerRefusedError when the file or database cannot be opened, is of a newer version, or has counted in
 * another currency or time zone
 */
export async function createLedger(options: LedgerOptions): Promise<ServerLedger> {
  const { database: location, currency, timeZone, busyTimeoutMs = 3000, keepEventsDays = null } = options;
  const { maxEventsPerBatch = MAX_EVENTS_PER_BATCH, startWorker = startLedgerWorker } = options;
  const { maxPendingEvents = MAX_PENDING_EVENTS, log } = options;
  const thread = await startLedgerThread({ location, currency, timeZone, busyTimeoutMs, keepEventsDays }, startWorker);
  const clock = createLedgerClock(options.clock ?? Date.now, thread.clockMark);
  const counts = createPendingCounts();
  const events: PendingEvent[] = [];
  const faults = createWriteFaults(thread, log);
  let countsAreDue = false;
  let working: Promise<void> | undefined;
  let markWritten = clock.mark();
  let closed = false;

  const commit = async (entries: readonly PendingEvent[], counted: readonly Count[]): Promise<void> => {
    const mark = clock.mark();
    const isNeeded =
      entries.length + counted.length > 0 || faults.ofWrites() !== null || mark - markWritten >= MARK_EVERY_MS;
    if (!isNeeded) return;
    try {
      const outcomes = await thread.write({ events: entries.map(({ event }) => event), counts: counted, clock: mark });
      // While no events arrive, an empty write shows that they can be written again.
      if (entries.length > 0 || counted.length === 0) faults.set('events', null);
      if (counted.length > 0 || counts.size === 0) faults.set('counts', null);
      markWritten = mark;
      for (const [position, entry] of entries.entries()) entry.resolve(outcomes[position]!);
    } catch (error) {
      faults.set(counted.length > 0 ? 'counts' : 'events', error as Error);
      for (const count of counted) counts.add(count);
      for (const entry of entries) entry.reject(new LedgerUnavailableError(error));
    }
    faults.logChange();
  };
  const work = async (): Promise<void> => {
    // Events of the same turn of the event loop join the first one's commit.
    await nextTurn();
    while (events.length > 0 || countsAreDue) {
      if (events.length > 0) await commit(events.splice(0, maxEventsPerBatch), []);
      if (!countsAreDue) continue;
      // Separate from events, so that counts that cannot be written do not make events fail.
      const counted = counts.take(MAX_COUNTS_PER_BATCH);
      countsAreDue = false;
      await commit([], counted);
      if (counted.length === MAX_COUNTS_PER_BATCH && faults.of('counts') === null) countsAreDue = true;
      if (faults.of('events') !== null && counted.length > 0 && events.length === 0) await commit([], []);
    }
    working = undefined;
  };
  const wake = (): Promise<void> => (working ??= work());
  const flush = (): Promise<void> => {
    countsAreDue = true;
    return wake();
  };
  // A flush with nothing to write does not notice that the thread is gone.
  const everySecond = setInterval(() => void flush().then(() => faults.logChange()), FLUSH_EVERY_MS).unref();

  return {
    get fault() {
      return faults.now();
    },
    record: (event) =>
      new Promise((resolve, reject) => {
        const full = events.length >= maxPendingEvents;
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
      if (counts.size === 0) return;
      const cause = faults.ofWrites();
      throw new Error(
        'the last counts of decisions and ignored events are lost, since the ledger cannot be written ' +
          `(${cause?.message ?? 'for an unknown reason'}); acknowledged events are stored, or wait in DATA_DIR`,
        { cause },
      );
    },
  };
}

interface PendingEvent {
  readonly event: UsageEvent;
  resolve(outcome: Outcome): void;
  reject(error: Error): void;
}

import { countOfDecision, countOfIgnored, type Count } from './batch.js';
import { LedgerUnavailableError, type Ledger, type Outcome, type UsageEvent } from './ledger.js';
import { startLedgerThread, startLedgerWorker, type StartWorker } from './ledger-thread.js';
import { createWaitingCounts } from './waiting-counts.js';

const FLUSH_EVERY_MS = 1000;
const MOST_EVENTS_A_BATCH = 5000;
const MOST_WAITING_EVENTS = 100_000;

export interface LedgerOptions {
  /** The SQLite file, made when it is not there. Its directory must exist. */
  readonly file: string;
  /** ISO 4217 code of the micros. */
  readonly currency: string;
  /** IANA time zone of the days that reports count in. */
  readonly timeZone: string;
  /** How long a write waits for another process's write. */
  readonly busyTimeoutMs?: number;
  readonly startWorker?: StartWorker;
}

/** The ledger of one installation, in SQLite. */
export interface EmbeddedLedger extends Ledger {
  /** Why the last write failed; null while writes succeed. For readiness. */
  readonly fault: Error | null;
}

/**
 * Opens the embedded ledger: SQLite in a thread of its own. Commits are grouped: while one is under way, what comes in
 * waits and then shares the next, so that one wait for the disk acknowledges many events.
 *
 * @throws LedgerRefusedError when the file is of a newer version, has counted in another currency or time zone, or cannot be opened
 */
export async function createLedger(options: LedgerOptions): Promise<EmbeddedLedger> {
  const { file, currency, timeZone, busyTimeoutMs = 3000, startWorker = startLedgerWorker } = options;
  const thread = await startLedgerThread({ file, currency, timeZone, busyTimeoutMs }, startWorker);
  const counts = createWaitingCounts();
  let events: WaitingEvent[] = [];
  let committing: Promise<void> | undefined;
  let fault: Error | null = null;
  let countsAreDue = false;
  let closed = false;

  const commit = async (entries: readonly WaitingEvent[], counted: readonly Count[]): Promise<void> => {
    try {
      const outcomes = await thread.write({ events: entries.map(({ event }) => event), counts: counted });
      fault = null;
      entries.forEach(({ resolve }, position) => resolve(outcomes[position]!));
    } catch (error) {
      fault = error as Error;
      counted.forEach(counts.add);
      for (const { reject } of entries) reject(new LedgerUnavailableError(error));
    }
  };
  const next = (): void => {
    if (committing !== undefined) return;
    if (!thread.ready) return rejectWaiting();
    const entries = events.slice(0, MOST_EVENTS_A_BATCH);
    const counted = countsAreDue ? counts.take() : [];
    countsAreDue = false;
    if (entries.length + counted.length === 0) return;
    events = events.slice(MOST_EVENTS_A_BATCH);
    committing = commit(entries, counted).then(() => {
      committing = undefined;
      next();
    });
  };
  const rejectWaiting = (): void => {
    for (const { reject } of events) reject(new LedgerUnavailableError(fault));
    events = [];
  };
  const flush = (): void => {
    countsAreDue = true;
    next();
  };
  const everySecond = setInterval(flush, FLUSH_EVERY_MS).unref();

  return {
    get fault() {
      return fault;
    },
    record: (event) =>
      new Promise((resolve, reject) => {
        const refusal = closed ? 'it is closed' : !thread.ready ? 'its thread is restarting' : undefined;
        if (refusal !== undefined) return reject(new LedgerUnavailableError(new Error(refusal)));
        if (events.length >= MOST_WAITING_EVENTS)
          return reject(new LedgerUnavailableError(new Error('too many events wait')));
        events.push({ event, resolve, reject });
        // The rest of this turn's events join the first one.
        if (events.length === 1) setImmediate(next);
      }),
    ignore: (event) => counts.add(countOfIgnored(event)),
    countDecision: (decision) => counts.add(countOfDecision(decision)),
    async close() {
      closed = true;
      clearInterval(everySecond);
      while (committing !== undefined || events.length > 0) {
        next();
        await committing;
      }
      flush();
      await committing;
      await thread.close();
      if (counts.size > 0) throw new LedgerUnavailableError(fault);
    },
  };
}

interface WaitingEvent {
  readonly event: UsageEvent;
  resolve(outcome: Outcome): void;
  reject(error: Error): void;
}

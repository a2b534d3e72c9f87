import type { Logger } from 'pino';
import type { LedgerThread } from './ledger-thread.js';

/** What the ledger's thread writes. One kind may fail while the other succeeds. */
export type WrittenKind = 'events' | 'counts';

/** Why a ledger cannot be written, for readiness and the log. */
export interface WriteFaults {
  /** Stores the result of the last write of a kind; null: it succeeded. */
  set(kind: WrittenKind, fault: Error | null): void;
  /** Returns why the last write of a kind failed; null: it did not. */
  of(kind: WrittenKind): Error | null;
  /** Returns why the last write of either kind failed; null: neither did. */
  ofWrites(): Error | null;
  /** Returns as `ofWrites`, or while the writing thread is being replaced, why its predecessor ended. */
  now(): Error | null;
  /** Logs that the ledger can no longer be written, or that it can again, once each. */
  logChange(): void;
}

/** @param log absent: nothing is logged */
export function createWriteFaults(
  thread: Pick<LedgerThread, 'ready' | 'cause'>,
  log?: Pick<Logger, 'error' | 'info'>,
): WriteFaults {
  const faults: Record<WrittenKind, Error | null> = { events: null, counts: null };
  let wasWritable = true;

  const ofWrites = (): Error | null => faults.counts ?? faults.events;
  const now = (): Error | null =>
    thread.ready ? ofWrites() : (thread.cause ?? ofWrites() ?? new Error('the ledger is being opened'));

  return {
    set(kind, fault) {
      faults[kind] = fault;
    },
    of: (kind) => faults[kind],
    ofWrites,
    now,
    logChange() {
      const fault = now();
      if ((fault === null) === wasWritable) return;
      wasWritable = fault === null;
      if (fault === null) log?.info('the ledger can be written again');
      else log?.error({ err: fault }, 'the ledger cannot be written');
    },
  };
}

import type { Account } from '../../domain/billing.js';
import type { Batch } from './batch.js';
import type { BilledRow, CounterRow, StoredEvent } from './batch-totals.js';
import type { DimensionSetIds } from './dimension-sets.js';

/** An event with its price, as it is stored. */
export interface EventRow extends StoredEvent {
  /** 16 bytes, hex. */
  readonly id: string;
  readonly dimensionSet: number;
  /** As in `UsageEvent`. */
  readonly seenAt?: number | undefined;
}

/** Micros charged to an account on a day, or in total (`ALL_DAYS`). */
export interface SpendRow extends Account {
  readonly day: number;
  readonly charged: number;
}

/** The amounts to add to the sums. */
export interface SumRows {
  readonly counters: Iterable<CounterRow>;
  readonly billed: Iterable<BilledRow>;
  readonly spend: Iterable<SpendRow>;
}

/** The reads and writes of tables while a batch of events is counted. */
export interface EventTables {
  readonly dimensionSets: DimensionSetIds;
  /**
   * Counts a batch in one transaction, durable on return. Until it ends, the results of the methods below stay valid:
   * no other process closes a month, stores an event of the batch, or charges one of its accounts past a limit.
   *
   * @param count runs again from its beginning if other writers interfered
   * @throws Error of the store when nothing was written, or when it is unknown whether the batch was written
   */
  write<T>(batch: Batch, count: () => T): T;
  /** The same as `readIssuedFrom`. */
  issuedFrom(): number;
  /** Whether an advertiser's month is frozen. */
  isClosed(advertiser: string, month: number): boolean;
  /** When a request id's impression happened, epoch milliseconds; undefined: none is stored. */
  shownAt(id: string): number | undefined;
  /**
   * How long before a moment of `elapsedMs` a server received that impression, in milliseconds, by a clock that servers
   * share; Infinity: not known.
   */
  shownForMs(id: string, moment?: number): number;
  /** Micros that an account with limits has spent on a day, or in total (`ALL_DAYS`), before this batch. */
  spent(account: Account, day: number): number;
  /** @returns false when this (request id, kind) is stored already: the exactly-once rule */
  addEvent(event: EventRow): boolean;
  /** Adds to the sums. May be called within another transaction too. */
  addSums(sums: SumRows): void;
  /** Stores the ledger clock's mark unless it is earlier than the stored one. @param mark epoch milliseconds */
  moveClock(mark: number): void;
}

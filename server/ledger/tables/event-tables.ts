import type { EventKind } from '../../../models/schema/usage-event.js';
import type { Account } from '../../domain/billing.js';
import type { Batch } from './batch.js';
import type { BilledRow, CounterRow } from './batch-totals.js';
import type { DimensionSetIds } from './dimension-sets.js';

/** An event with what it costs, as it is stored. */
export interface EventRow {
  /** 16 bytes, hex. */
  readonly id: string;
  readonly kind: EventKind;
  readonly at: number;
  readonly dimensionSet: number;
  readonly priceMicros: number;
  readonly reason: string;
  readonly month: number;
  /** As the event's. */
  readonly seenAt?: number | undefined;
}

/** Micros that were charged to an account in a span: a day, or all days. */
export interface SpendRow extends Account {
  readonly day: number;
  readonly charged: number;
}

/** What is added to the sums. */
export interface SumRows {
  readonly counters: Iterable<CounterRow>;
  readonly billed: Iterable<BilledRow>;
  readonly spend: Iterable<SpendRow>;
}

/** The tables as they are read and written while a batch of events is counted. */
export interface EventTables {
  readonly dimensionSets: DimensionSetIds;
  /**
   * Counts a batch in one transaction, durable on return. What the functions below say holds until its end: no month is
   * closed meanwhile, no event of the batch stored by another, and no limited account of the batch charged.
   *
   * @param count runs again, from its beginning, where other writers came in between
   * @throws Error of the store when nothing was written, or when it is not known whether it was
   */
  write<T>(batch: Batch, count: () => T): T;
  /** From which moment on ads were answered whose events are surely all there; as `readIssuedFrom`. */
  issuedFrom(): number;
  /** Whether an advertiser's month is frozen. */
  isClosed(advertiser: string, month: number): boolean;
  /** When a request id's impression happened, epoch milliseconds; undefined: none is stored. */
  shownAt(id: string): number | undefined;
  /**
   * How long before a moment of `elapsedMs` that impression was seen, in milliseconds, by a clock that servers share; Infinity:
   * nobody knows.
   */
  shownForMs(id: string, moment?: number): number;
  /** Micros that an account with limits has spent on a day, or on `ALL_DAYS`, before this batch. */
  spent(account: Account, day: number): number;
  /** @returns false when this (request id, kind) is there already: the exactly-once rule */
  addEvent(event: EventRow): boolean;
  /** Also within another transaction. */
  addSums(sums: SumRows): void;
  /** @param mark until when time has surely passed, epoch milliseconds: never moves back */
  moveClock(mark: number): void;
}

import {
  DummyDriver,
  Kysely,
  type Compilable,
  type OperationNodeSource,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Calendar } from '../../../platform/time/calendar.js';
import type { EventTables } from './event-tables.js';
import type { LedgerTables } from './schema.js';

/** A query as Kysely builds it, whichever store runs it. */
export type Query<Row = unknown> = (Compilable<Row> & OperationNodeSource) | RawBuilder<Row>;

/**
 * The ledger's tables, in SQLite or PostgreSQL: queries wait for their answer, on a thread that may. The two rooms differ
 * where their SQL does, and in how writers stay out of each other's way.
 */
export interface LedgerDatabase {
  /** Runs a query with the values that it was built with. @returns its rows; none for one that only writes */
  run<Row>(query: Query<Row>): Row[];
  /** Runs a query whose integers are small, and come as numbers on a connection for reports too. */
  readSmall<Row>(query: Query<Row>): Row[];
  /** Runs a query whose integers come as bigint on a connection for writing too. */
  readExact<Row>(query: Query<Row>): Row[];
  /** Reads many rows with small integers, some at a time. */
  readInPieces<Row>(query: Query<Row>): Iterable<readonly Row[]>;
  /** @returns how many rows a query has written */
  change(query: Query): number;
  /**
   * One transaction, during which nobody else writes.
   *
   * @param waitMs in PostgreSQL, how long to wait for others instead of as long as for any lock: who waits keeps those
   * waiting that come later; 0: any time
   */
  exclusively<T>(write: () => T, waitMs?: number): T;
  /** The same for work that reads all events: PostgreSQL is not taken for gone while it does not answer. */
  exclusivelyForLong<T>(write: () => T): T;
  /**
   * One transaction beside which batches of events are written, for what none of them reaches any more.
   *
   * @param waitMs as of `exclusively`
   */
  besideBatches<T>(write: () => T, waitMs?: number): T;
  /** All that is read is of one moment. Within a transaction, of that one. */
  atOnce<T>(read: () => T): T;
  /** The tables as a batch of events sees them. */
  eventTables(calendar: Calendar): EventTables;
  readonly sql: LedgerSql;
  /** SQL for the days and months of a calendar; of what is stored now, where it takes part in it. */
  calendarSql(calendar: Calendar): CalendarSql;
  /** What the store itself finds wrong with its tables, a sentence each. */
  damages(): string[];
  /** @throws Error while another server has the ledger open */
  refuseWhileServed(): void;
  /** Whether another server counts in the same tables. */
  isShared(): boolean;
  /** Rows came with the numbers that they had elsewhere: the next ones are numbered from there. */
  goOnNumbering(): void;
  /** Whether an error will pass, as a full disk or a lock does. After any other the ledger is better opened afresh. */
  passes(error: unknown): boolean;
  close(): void;
}

/** SQL that differs between the stores. */
export interface LedgerSql {
  /** Whether the column `id` is one of these, 16 bytes in hex. */
  isOneOf(ids: readonly string[]): RawBuilder<boolean>;
  /** Bytes as text. */
  hex(column: RawBuilder<Buffer>): RawBuilder<string>;
}

export interface CalendarSql {
  /** When the day of a minute starts, as in a day's counter. */
  dayOf(minute: RawBuilder<number>): RawBuilder<number>;
  /** The month of a moment, such as 202611. */
  monthAt(moment: RawBuilder<number>): RawBuilder<number>;
}

/** The store cannot serve as this installation's ledger; the message says why and what to do. */
export class LedgerRefusedError extends Error {
  override readonly name = 'LedgerRefusedError';
}

/** Builds queries without running them: a store compiles them for itself. */
export const queries = new Kysely<LedgerTables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

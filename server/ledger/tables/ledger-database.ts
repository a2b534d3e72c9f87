import {
  DummyDriver,
  Kysely,
  type Compilable,
  type OperationNodeSource,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from '#kysely';
import type { Calendar } from '../../../platform/time/calendar.js';
import type { EventTables } from './event-tables.js';
import type { LedgerTables } from './schema.js';

/** A query as Kysely builds it, for either store. */
export type Query<Row = unknown> = (Compilable<Row> & OperationNodeSource) | RawBuilder<Row>;

/**
 * The ledger's tables, in SQLite or PostgreSQL. Queries are synchronous: the caller's thread blocks until the result is
 * there. The implementations differ where the stores' SQL does, and in how writers exclude each other.
 */
export interface LedgerDatabase {
  /** Runs a query with its values. @returns its rows; none for one that only writes */
  run<Row>(query: Query<Row>): Row[];
  /** Runs a query whose integers are small, and returns them as numbers, also on a connection for reports. */
  readAsNumbers<Row>(query: Query<Row>): Row[];
  /** Runs a query and returns integers as bigint, also on a connection for writing. */
  readAsBigints<Row>(query: Query<Row>): Row[];
  /** Reads many rows with small integers in chunks. */
  readInChunks<Row>(query: Query<Row>): Iterable<readonly Row[]>;
  /** Runs a query that writes. @returns how many rows it has written */
  change(query: Query): number;
  /**
   * Runs one transaction, during which no other process writes.
   *
   * @param waitMs in PostgreSQL, how long to wait for other writers; 0: forever; absent: as long as for any lock. While
   * this waits, those that come later wait too
   */
  exclusively<T>(write: () => T, waitMs?: number): T;
  /** Does the same for work that reads all events: the connection is not considered lost however long a query takes. */
  exclusivelyForLong<T>(write: () => T): T;
  /**
   * Runs one transaction while batches of events go on being written: for rows that no batch touches any more.
   *
   * @param waitMs as in `exclusively`
   */
  whileBatchesRun<T>(write: () => T, waitMs?: number): T;
  /** Reads everything as of one moment: within a transaction, as of that transaction. */
  readConsistently<T>(read: () => T): T;
  /** Returns the tables as they are used for a batch of events. */
  eventTables(calendar: Calendar): EventTables;
  readonly sql: LedgerSql;
  /**
   * Returns SQL for the days and months of a calendar. It may cover only the days that are stored when this is called.
   */
  calendarSql(calendar: Calendar): CalendarSql;
  /** Returns the damage that the store itself finds in its tables, one sentence each. */
  findCorruption(): string[];
  /** @throws Error while another server has the ledger open */
  refuseWhileServed(): void;
  /** Whether another server counts in the same tables. */
  isShared(): boolean;
  /**
   * Tries, without waiting, to become the one server that prunes, and stays it until the connection ends. Without
   * PostgreSQL, every server prunes its file.
   *
   * @returns false while another server prunes
   */
  becomePruner(): boolean;
  /** Continues numbering new rows after the highest number stored, once rows were copied with their numbers. */
  continueNumbering(): void;
  /** Whether an error is temporary, such as a full disk or a lock. After any other, open the ledger again. */
  isTemporary(error: unknown): boolean;
  close(): void;
}

/** SQL that differs between the stores. */
export interface LedgerSql {
  /** Whether the column `id` is one of these: 16 bytes each, in hex. */
  isOneOf(ids: readonly string[]): RawBuilder<boolean>;
  /** Bytes as hex. */
  hex(column: RawBuilder<Buffer>): RawBuilder<string>;
}

export interface CalendarSql {
  /** The start of a minute's day, as in a day's counter. */
  dayOf(minute: RawBuilder<number>): RawBuilder<number>;
  /** The month of a moment, such as 202611. */
  monthAt(moment: RawBuilder<number>): RawBuilder<number>;
}

/** The file or database cannot be used as this installation's ledger; the message says why and what to do. */
export class LedgerRefusedError extends Error {
  override readonly name = 'LedgerRefusedError';
}

/** Builds queries without running them: each store compiles them itself. */
export const queries = new Kysely<LedgerTables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

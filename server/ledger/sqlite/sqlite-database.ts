import type { Database } from 'better-sqlite3';
import { createQueryId, sql, SqliteQueryCompiler, type RawBuilder, type RootOperationNode } from '#kysely';
import type { Calendar } from '../../../platform/time/calendar.js';
import { monthOf } from '../../domain/billing-month.js';
import { MINUTE } from '../../../platform/time/durations.js';
import type { CalendarSql, LedgerDatabase, LedgerSql, Query } from '../tables/ledger-database.js';
import { dayStart } from '../tables/roll-ups.js';
import { createSqliteEventTables } from './sqlite-event-tables.js';

/** The ledger's tables in a SQLite file. */
export interface SqliteDatabase extends LedgerDatabase {
  readonly file: Database;
}

/** Rows per chunk: few enough to stay in the cache. */
const PIECE = 1000;

/** @param file an open file with the ledger's tables; closing the returned database closes it */
export function sqliteDatabase(file: Database): SqliteDatabase {
  const prepared = <Row>(query: Query<Row>) => {
    const node = query.toOperationNode() as RootOperationNode;
    const { sql: text, parameters } = new SqliteQueryCompiler().compileQuery(node, createQueryId());
    return { statement: file.prepare<unknown[], Row>(text), parameters };
  };
  const readWith = <Row>(query: Query<Row>, exact: boolean): Row[] => {
    const { statement, parameters } = prepared(query);
    return statement.safeIntegers(exact).all(...parameters);
  };
  return {
    file,
    sql: SQL,
    run(query) {
      const { statement, parameters } = prepared(query);
      if (statement.reader) return statement.all(...parameters);
      statement.run(...parameters);
      return [];
    },
    readAsNumbers: (query) => readWith(query, false),
    readAsBigints: (query) => readWith(query, true),
    *readInChunks<Row>(query: Query<Row>) {
      const { statement, parameters } = prepared(query);
      let piece: Row[] = [];
      for (const row of statement.safeIntegers(false).iterate(...parameters)) {
        piece.push(row);
        if (piece.length < PIECE) continue;
        yield piece;
        piece = [];
      }
      if (piece.length > 0) yield piece;
    },
    change(query) {
      const { statement, parameters } = prepared(query);
      return statement.run(...parameters).changes;
    },
    exclusively: (write) => file.transaction(write).immediate(),
    exclusivelyForLong: (write) => file.transaction(write).immediate(),
    whileBatchesRun: (write) => file.transaction(write).immediate(),
    readConsistently: (read) => file.transaction(read)(),
    eventTables: () => createSqliteEventTables(file),
    calendarSql: (calendar) => defineCalendar(file, calendar),
    findCorruption: () => corruptionIn(file),
    refuseWhileServed() {
      // Leaving WAL mode needs exclusive access to the file. The next server turns it on again.
      try {
        file.pragma('journal_mode = delete');
      } catch (error) {
        throw new Error(`the ledger is in use (${(error as Error).message}): stop the server first`, { cause: error });
      }
    },
    isShared: () => false,
    becomePruner: () => true,
    // SQLite continues after the highest number by itself.
    continueNumbering: () => {},
    isTemporary: (error) => /^SQLITE_(BUSY|FULL|LOCKED)/.test((error as { code?: string }).code ?? ''),
    close: () => void file.close(),
  };
}

const SQL: LedgerSql = {
  isOneOf: (ids) => sql<boolean>`id in (select unhex(value) from json_each(${JSON.stringify(ids)}))`,
  hex: (column) => sql<string>`lower(hex(${column}))`,
};

function defineCalendar(file: Database, calendar: Calendar): CalendarSql {
  const pure = { deterministic: true, safeIntegers: false };
  file.function('month_at', pure, (at) => monthOf(calendar.dateOf(at as number)));
  file.function('day_of', pure, (minute) => dayStart(calendar.dateOf((minute as number) * MINUTE)));
  return {
    dayOf: (minute: RawBuilder<number>) => sql<number>`day_of(${minute})`,
    monthAt: (moment: RawBuilder<number>) => sql<number>`month_at(${moment})`,
  };
}

/** Returns the damage that SQLite itself finds in the file. */
function corruptionIn(file: Database): string[] {
  const found = file.pragma('quick_check(10)') as { quick_check: string }[];
  const orphans = file.pragma('foreign_key_check') as { table: string }[];
  return [
    ...found.filter(({ quick_check: fault }) => fault !== 'ok').map(({ quick_check: fault }) => `the file: ${fault}`),
    ...[...new Set(orphans.map(({ table }) => table))].map((table) => `${table}: a row refers to a missing row`),
  ];
}

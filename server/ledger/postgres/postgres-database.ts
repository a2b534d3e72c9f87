import { createQueryId, PostgresQueryCompiler, sql, type RootOperationNode } from '#kysely';
import type { LedgerDatabase, LedgerSql, Query } from '../tables/ledger-database.js';
import { ADJACENT_LOCKS, LOCKS } from '../../../platform/postgres/locks.js';
import { PostgresError, type PostgresConnection } from './postgres-connection.js';
import { postgresCalendar } from './postgres-calendar.js';
import { createPostgresEventTables } from './postgres-event-tables.js';
import { tryLock } from './session-lock.js';
import { countOtherServers } from './slots.js';
import type { PostgresQuery, PostgresRows } from './postgres-worker.js';

/**
 * The ledger on an open connection.
 *
 * @param exact whether `run` returns integers as bigint instead of number, so that no sum is rounded
 */
export function postgresDatabase(connection: PostgresConnection, exact: boolean): LedgerDatabase {
  let isInside = false;
  let takesLong = false;
  let isPruner = false;

  const read = <Row>(query: Query<Row>, asExact: boolean): Row[] =>
    rowsOf<Row>(connection.send([compiled(query)], asExact, takesLong)[0]!);
  const within = <T>(begin: readonly PostgresQuery[], body: () => T, mayTakeLong = false): T => {
    if (isInside) return body();
    isInside = true;
    takesLong = mayTakeLong;
    try {
      connection.send(begin, exact, takesLong);
      const result = body();
      connection.send([{ text: 'commit' }], exact, takesLong);
      return result;
    } catch (error) {
      connection.rollBack();
      throw error;
    } finally {
      isInside = false;
      takesLong = false;
    }
  };
  return {
    sql: SQL,
    run: (query) => read(query, exact),
    readAsNumbers: (query) => read(query, false),
    readAsBigints: (query) => read(query, true),
    *readInChunks<Row>(query: Query<Row>) {
      const { text, values } = compiled(query);
      connection.send(
        [{ text: 'begin read only' }, { text: `declare pieces no scroll cursor for ${text}`, values }],
        false,
      );
      try {
        for (;;) {
          const [piece] = connection.send([{ text: `fetch ${PIECE} from pieces` }], false);
          if (piece!.rows.length === 0) break;
          yield rowsOf<Row>(piece!);
        }
      } finally {
        connection.rollBack();
      }
    },
    change: (query) => connection.send([compiled(query)], exact, takesLong)[0]!.changes,
    exclusively: (write, waitMs) => within([BEGIN, ...lockTimeouts(waitMs), LOCK_LEDGER], write),
    exclusivelyForLong: (write) => within([BEGIN, MAY_BE_SILENT, LOCK_LEDGER], write, true),
    whileBatchesRun: (write, waitMs) => within([BEGIN, ...lockTimeouts(waitMs), SHARE_LEDGER], write),
    readConsistently: (body) => within([{ text: 'begin isolation level repeatable read, read only' }], body),
    eventTables: (calendar) => createPostgresEventTables(connection, calendar),
    calendarSql: (calendar) => postgresCalendar(connection, calendar),
    findCorruption: () => orphansIn(connection),
    refuseWhileServed() {
      const servers = countOtherServers(connection);
      if (servers > 0)
        throw new Error(`the ledger is in use by ${servers} ${servers === 1 ? 'server' : 'servers'}: stop them first`);
    },
    isShared: () => countOtherServers(connection) > 0,
    becomePruner: () => (isPruner ||= tryLock(connection, ADJACENT_LOCKS, LOCKS.pruning)),
    continueNumbering: () => void connection.send(NUMBERED.map(continueNumbering), false),
    isTemporary: (error) => error instanceof PostgresError && !error.lost && TEMPORARY.test(error.code),
    close: () => connection.close(),
  };
}

/** Rows fetched at a time. */
const PIECE = 5000;

/**
 * Set explicitly, since the database may have another default: commits made while this waits for the lock must be
 * visible.
 */
const BEGIN = { text: 'begin isolation level read committed' };

/** @param ms undefined: as for any lock */
function lockTimeouts(ms: number | undefined): PostgresQuery[] {
  return ms === undefined ? [] : [{ text: `set local lock_timeout = ${ms}` }];
}

/** Long work also computes between statements, and others expect to wait for it. */
const MAY_BE_SILENT = { text: "set local idle_in_transaction_session_timeout = '10min'" };

const LOCK_LEDGER = { text: `select pg_advisory_xact_lock(${ADJACENT_LOCKS}, ${LOCKS.ledger})` };
const SHARE_LEDGER = { text: `select pg_advisory_xact_lock_shared(${ADJACENT_LOCKS}, ${LOCKS.ledger})` };

/** Tables with automatically numbered rows, and the column of the number. */
const NUMBERED = [
  ['dimension_sets', 'dimension_set'],
  ['corrections', 'correction'],
] as const;

function continueNumbering([table, column]: (typeof NUMBERED)[number]): PostgresQuery {
  const next = `coalesce(max(${column}), 0) + 1`;
  return { text: `select setval(pg_get_serial_sequence('${table}', '${column}'), ${next}, false) from ${table}` };
}

/**
 * Temporary errors: no resources, lock timeout, cancelled statement, serialisation failure, deadlock, duplicate key.
 */
const TEMPORARY = /^(53...|55P03|57014|40001|40P01|23505)$/;

const SQL: LedgerSql = {
  isOneOf: (ids) => sql<boolean>`id in (select decode(value, 'hex') from unnest(${ids}::text[]) as value)`,
  hex: (column) => sql<string>`encode(${column}, 'hex')`,
};

function compiled(query: Query) {
  const compiler = new PostgresQueryCompiler();
  const node = query.toOperationNode() as RootOperationNode;
  const { sql: text, parameters } = compiler.compileQuery(node, createQueryId());
  return { text, values: parameters };
}

function rowsOf<Row>({ columns, bytes, rows }: PostgresRows): Row[] {
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (const [position, column] of columns.entries()) row[column] = values[position];
    for (const position of bytes) row[columns[position]!] = Buffer.from(values[position] as string, 'hex');
    return row as Row;
  });
}

/** Returns tables with broken references, which PostgreSQL does not enforce here. */
function orphansIn(connection: PostgresConnection): string[] {
  return ['events', 'counters', 'billed', 'voided']
    .filter((table) => {
      const orphan = `select 1 from ${table} t where not exists (
      select from dimension_sets d where d.dimension_set = t.dimension_set) limit 1`;
      return connection.send([{ text: orphan }], false)[0]!.rows.length > 0;
    })
    .map((table) => `${table}: a row refers to a missing row`);
}

import { sql } from '#kysely';
import type { LedgerDatabase } from '../ledger/tables/ledger-database.js';
import { columnsOf, keysOf, selectionOf, type LedgerTable } from './ledger-columns.js';

/** One row by column name: integers as bigint, so that none is rounded, and bytes as Buffer. */
export type LedgerRow = Readonly<Record<string, bigint | string | Buffer>>;

/** Rows per statement: few enough for the parameter limits of both stores. */
const PIECE = 1000;

/** Yields a table's rows in the order of its keys, which is the same in both stores. */
export function* rowsOf(database: LedgerDatabase, table: LedgerTable): Iterable<readonly LedgerRow[]> {
  const { selected, grouped } = selectionOf(table);
  const keys = sql.join(keysOf(table).map((key) => sql.ref(key)));
  for (let last: LedgerRow | undefined; ;) {
    const after = last;
    const rest =
      after === undefined ? sql`` : sql`where (${keys}) > (${sql.join(keysOf(table).map((key) => after[key]))})`;
    const rows = database.readAsBigints(
      sql<LedgerRow>`select ${selected} from ${sql.table(table)} ${rest} ${grouped} order by ${keys} limit ${sql.lit(PIECE)}`,
    );
    if (rows.length > 0) yield rows;
    if (rows.length < PIECE) return;
    last = rows.at(-1);
  }
}

/** Adds rows to a table. */
export function addRows(database: LedgerDatabase, table: LedgerTable, rows: readonly LedgerRow[]): void {
  const columns = columnsOf(table);
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  database.run(
    sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))}) values ${sql.join(values)}`,
  );
}

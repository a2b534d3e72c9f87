import { createHash } from 'node:crypto';
import { sql } from '#kysely';
import type { LedgerDatabase } from '../ledger/tables/ledger-database.js';
import { columnsOf, LEDGER_TABLES, selectionOf, type LedgerTable } from './ledger-columns.js';
import { rowsOf, type LedgerRow } from './ledger-rows.js';

/** Columns of counts and money, whose sums are shown to the operator. */
const SUMMED = ['times', 'micros', 'price_micros'];

/**
 * Measures a ledger as of one moment, per table: the number of rows, the sums that the store itself computes, and a
 * digest of every row. If the texts are equal, the tables are.
 */
export function measureLedger(database: LedgerDatabase): ReadonlyMap<string, string> {
  return database.readConsistently(
    () => new Map(LEDGER_TABLES.map((table) => [`ledger: ${table}`, measure(database, table)])),
  );
}

function measure(database: LedgerDatabase, table: LedgerTable): string {
  const sums = SUMMED.filter((column) => columnsOf(table).includes(column));
  const { selected, grouped } = selectionOf(table);
  const totals = sums.map((column) => sql`coalesce(sum(${sql.ref(column)}), 0) as ${sql.ref(column)}`);
  const [summed] = database.readAsBigints(
    sql<LedgerRow>`select ${sql.join([sql`count(*) as amount`, ...totals])}
      from (select ${selected} from ${sql.table(table)} ${grouped}) as whole`,
  );
  const sumTexts = sums.map((column) => `${column} ${String(summed![column])}`);
  return [`${String(summed!['amount'])} rows`, ...sumTexts, `sha256 ${digestOf(database, table)}`].join(', ');
}

function digestOf(database: LedgerDatabase, table: LedgerTable): string {
  const hash = createHash('sha256');
  for (const rows of rowsOf(database, table)) {
    for (const row of rows) {
      const values = columnsOf(table).map((column) => row[column]!);
      hash.update(
        `${JSON.stringify(values.map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : String(value))))}\n`,
      );
    }
  }
  return hash.digest('hex');
}

import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { LedgerDatabase } from '../ledger/tables/ledger-database.js';
import { columnsOf, LEDGER_TABLES, selectionOf, type LedgerTable } from './ledger-columns.js';
import { rowsOf, type LedgerRow } from './ledger-rows.js';

/** What is counted or paid, and so is summed up for people. */
const SUMMED = ['times', 'micros', 'price_micros'];

/**
 * What a ledger's tables hold, by table: how many rows, what the store itself sums them up to, and a digest of every row.
 * Equal texts, equal tables. Of one moment.
 */
export function measureLedger(database: LedgerDatabase): ReadonlyMap<string, string> {
  return database.atOnce(() => new Map(LEDGER_TABLES.map((table) => [`ledger: ${table}`, measure(database, table)])));
}

function measure(database: LedgerDatabase, table: LedgerTable): string {
  const sums = SUMMED.filter((column) => columnsOf(table).includes(column));
  const { selected, grouped } = selectionOf(table);
  const totals = sums.map((column) => sql`coalesce(sum(${sql.ref(column)}), 0) as ${sql.ref(column)}`);
  const [summed] = database.readExact(
    sql<LedgerRow>`select ${sql.join([sql`count(*) as amount`, ...totals])}
      from (select ${selected} from ${sql.table(table)} ${grouped}) as whole`,
  );
  const told = sums.map((column) => `${column} ${String(summed![column])}`);
  return [`${String(summed!['amount'])} rows`, ...told, `sha256 ${digestOf(database, table)}`].join(', ');
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

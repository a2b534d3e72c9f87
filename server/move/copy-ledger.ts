import { sql } from '#kysely';
import type { LedgerDatabase } from '../ledger/tables/ledger-database.js';
import { LEDGER_TABLES, type LedgerTable } from './ledger-columns.js';
import { addRows, rowsOf } from './ledger-rows.js';

/**
 * Replaces the content of one ledger with that of another, as of one moment, in one transaction: if it is interrupted,
 * the target keeps what it had before.
 *
 * @param source from `openForReading`
 * @param target from `openForWriting`
 * @param onTable called with each table before it is copied
 */
export function copyLedger(
  source: LedgerDatabase,
  target: LedgerDatabase,
  onTable: (table: LedgerTable) => void = () => {},
): void {
  const copy = (): void => {
    for (const table of LEDGER_TABLES.toReversed()) target.run(sql`delete from ${sql.table(table)}`);
    for (const table of LEDGER_TABLES) {
      onTable(table);
      for (const rows of rowsOf(source, table)) addRows(target, table, rows);
    }
    target.continueNumbering();
  };
  // The source's transaction ends before the target's commit, which may take longer than a transaction may be silent.
  target.exclusivelyForLong(() => source.readConsistently(copy));
}

/** Returns a table that has rows; undefined if the ledger is empty. */
export function filledTable(database: LedgerDatabase): LedgerTable | undefined {
  return LEDGER_TABLES.find(
    (table) => database.readAsNumbers(sql`select 1 as row from ${sql.table(table)} limit 1`).length > 0,
  );
}

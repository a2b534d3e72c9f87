import { sql } from 'kysely';
import type { LedgerDatabase } from '../ledger/tables/ledger-database.js';
import { LEDGER_TABLES, type LedgerTable } from './ledger-columns.js';
import { addRows, rowsOf } from './ledger-rows.js';

/**
 * Puts all that one ledger holds, as of one moment, in the place of whatever another holds, in one transaction: it has all of
 * it or, where this breaks off, what it had before.
 *
 * @param source from `openForReading`
 * @param target from `openForWriting`
 * @param onTable told of each table before it is copied
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
    target.goOnNumbering();
  };
  // The source is let go before the target is committed, which may take longer than a transaction may be silent.
  target.exclusivelyForLong(() => source.atOnce(copy));
}

/** A table of a ledger that holds something; undefined: it is empty. */
export function filledTable(database: LedgerDatabase): LedgerTable | undefined {
  return LEDGER_TABLES.find(
    (table) => database.readSmall(sql`select 1 as row from ${sql.table(table)} limit 1`).length > 0,
  );
}

import Sqlite, { type Database } from 'better-sqlite3';
import { sqliteDatabase } from '../sqlite/sqlite-database.js';
import { migrate } from '../sqlite/sqlite-file.js';
import { readAccountingBasis, type AccountingBasis } from '../tables/accounting-basis.js';
import { MIGRATIONS } from '../sqlite/migrations.js';

/** The copy cannot be made or restored; the message says why and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/**
 * Verifies that a file by itself is a complete ledger of a version that this release knows: it has the tables of that
 * version, a server has opened it, and every page can be read.
 *
 * @returns its currency and time zone
 * @throws BackupError
 */
export function verifyCopy(file: string): AccountingBasis {
  try {
    const database = new Sqlite(file, { readonly: true, fileMustExist: true });
    try {
      return verifyLedger(database);
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw new BackupError(`${file} is not a complete ledger: ${(error as Error).message}`);
  }
}

function verifyLedger(database: Database): AccountingBasis {
  const version = Number(database.pragma('user_version', { simple: true }));
  if (version < 1) throw new Error('it has no tables of a ledger');
  if (version > MIGRATIONS.length) throw new Error(`its schema version ${version} is of a newer release`);
  const expected = columnsOfVersion(version);
  const found = columnsOf(database);
  for (const [table, columns] of expected) {
    if (found.get(table) !== columns) throw new Error(`its table ${table} is not that of a ledger`);
  }
  const [fault] = database.pragma('integrity_check(1)') as { integrity_check: string }[];
  if (fault?.integrity_check !== 'ok') throw new Error(fault?.integrity_check ?? 'it cannot be checked');
  const basis = readAccountingBasis(sqliteDatabase(database));
  if (basis === undefined) throw new Error('no server has begun it: it has no currency');
  return basis;
}

function columnsOfVersion(version: number): ReadonlyMap<string, string> {
  const empty = new Sqlite(':memory:');
  try {
    migrate(empty, ':memory:', version);
    return columnsOf(empty);
  } finally {
    empty.close();
  }
}

/** Returns each table's columns with their types and keys, as one string per table. */
function columnsOf(database: Database): ReadonlyMap<string, string> {
  const columns = database.prepare<[], { table: string; columns: string }>(
    `select m.name as "table", group_concat(c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || c.pk) as columns
     from (select name from sqlite_master where type = 'table') m, pragma_table_info(m.name) c group by m.name`,
  );
  return new Map(columns.all().map((each) => [each.table, each.columns]));
}

import Sqlite, { type Database } from 'better-sqlite3';
import { sqliteDatabase } from '../sqlite/sqlite-database.js';
import { migrate } from '../sqlite/sqlite-file.js';
import { readInstallation, type Installation } from '../tables/accounting-basis.js';
import { MIGRATIONS } from '../sqlite/migrations.js';

/** The copy cannot be made, or not be put back; the message says why and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/**
 * Checks that a file, by itself, is a whole ledger of any version that this release knows: its tables are those of that
 * version, a server has begun it, and every page can be read.
 *
 * @returns what it has counted in
 * @throws BackupError
 */
export function verifyCopy(file: string): Installation {
  try {
    const database = new Sqlite(file, { readonly: true, fileMustExist: true });
    try {
      return verifyLedger(database);
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw new BackupError(`${file} is not a whole ledger: ${(error as Error).message}`);
  }
}

function verifyLedger(database: Database): Installation {
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
  const installation = readInstallation(sqliteDatabase(database));
  if (installation === undefined) throw new Error('no server has begun it: it has no currency');
  return installation;
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

/** Each table with its columns, their types and keys, as one text. */
function columnsOf(database: Database): ReadonlyMap<string, string> {
  const columns = database.prepare<[], { table: string; columns: string }>(
    `select m.name as "table", group_concat(c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || c.pk) as columns
     from (select name from sqlite_master where type = 'table') m, pragma_table_info(m.name) c group by m.name`,
  );
  return new Map(columns.all().map((each) => [each.table, each.columns]));
}

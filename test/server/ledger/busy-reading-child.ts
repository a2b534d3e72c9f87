import Sqlite from 'better-sqlite3';

// The real ledger thread, whose first read of the spend fails with a lock. In WAL mode, SQLite refuses a reader this
// way only while it recovers a file, which a test cannot prolong.
const prepare = Sqlite.prototype.prepare;
let met = false;
Sqlite.prototype.prepare = function (this: Sqlite.Database, source: string) {
  const statement = prepare.call(this, source);
  if (!source.startsWith('select "day"')) return statement;
  const all = statement.all.bind(statement) as (...parameters: unknown[]) => unknown[];
  statement.all = (...parameters: unknown[]) => {
    if (met) return all(...parameters);
    met = true;
    throw new Sqlite.SqliteError('database is locked', 'SQLITE_BUSY_RECOVERY');
  };
  return statement;
} as typeof prepare;

await import('../../../server/ledger/ledger-worker.js');

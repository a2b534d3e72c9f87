import Sqlite from 'better-sqlite3';

// The real ledger thread, whose first reading of what was spent meets a lock: in WAL mode SQLite answers a reader so
// only while it recovers a file, a moment that no test can hold on to.
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

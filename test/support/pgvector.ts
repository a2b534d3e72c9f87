import { openClient } from '../../platform/postgres/connection.js';
import { temporaryDatabase, type TemporaryDatabase } from './postgres.js';

/**
 * Makes a database that can have pgvector, or skips what asks for it, loudly: where the PostgreSQL that tests use has none
 * installed (`test/README.md` says how it gets one).
 *
 * @param context of the hook that asks
 */
export async function databaseWithPgvector(context: Mocha.Context): Promise<TemporaryDatabase> {
  const database = await temporaryDatabase();
  const client = await openClient(database.url);
  try {
    const { rows } = await client.query("select 1 from pg_available_extensions where name = 'vector'");
    if (rows.length > 0) return database;
  } finally {
    await client.end();
  }
  await database.drop();
  console.warn('      SKIPPED: this PostgreSQL has no pgvector installed, so that SEARCH=pgvector is not tested');
  return context.skip();
}

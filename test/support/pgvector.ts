import { openClient } from '../../platform/postgres/connection.js';
import { temporaryDatabase, type TemporaryDatabase } from './postgres.js';

/**
 * Creates a database with pgvector available, or skips the tests with a warning if the PostgreSQL used for tests lacks
 * it (`test/README.md` says how to install it).
 *
 * @param context of the calling hook
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

import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { SearchUnavailableError } from '../../../models/index/catalogue-search.js';
import { createQueryRunner } from '../../../models/pgvector/query-runner.js';
import { openPool } from '../../../platform/postgres/connection.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/postgres.js';

describe('search queries to the database', () => {
  let database: TemporaryDatabase;
  let logged: string[];
  const log = {
    info: (_: object, message: string) => logged.push(message),
    error: (_: object, message: string) => logged.push(message),
  };
  before(async () => {
    database = await temporaryDatabase();
  });
  after(() => database.drop());
  beforeEach(() => {
    logged = [];
  });

  it('fail while all connections are busy, but later ones succeed', async () => {
    const pool = await openPool(database.url, 1, { connectMs: 1200 });
    const { run } = createQueryRunner({ pool, log });
    await run('select 1', []);
    // Each holds the only connection in turn; the last query waits too long for it.
    const held = [run('select pg_sleep(0.7)', []), run('select pg_sleep(0.7)', [])];
    const late = await run('select 2', []).then(
      () => 'answered',
      (error: unknown) => error,
    );
    expect(late).to.be.instanceOf(SearchUnavailableError);
    await Promise.all(held);
    expect(await run('select 3 as three', [])).to.deep.equal([{ three: 3 }]);
    expect(logged).to.deep.equal([]);
    await pool.end();
  });

  it('fail at once for half a second while the database is unreachable, which is logged once', async () => {
    const pool = await openPool('postgres://adjacent@127.0.0.1:1/x', 1, { connectMs: 300 });
    const { run } = createQueryRunner({ pool, log });
    const reachesDatabase = async (): Promise<boolean> => {
      const error = await run('select 1', []).catch((fault: unknown) => fault);
      expect(error).to.be.instanceOf(SearchUnavailableError);
      return (error as Error).cause !== undefined;
    };
    expect([await reachesDatabase(), await reachesDatabase(), await reachesDatabase()]).to.deep.equal([
      true,
      false,
      false,
    ]);
    await sleep(600);
    expect(await reachesDatabase()).to.equal(true);
    expect(logged).to.deep.equal(['vector search in the database fails; matches that need it get a 503']);
    await pool.end();
  });
});

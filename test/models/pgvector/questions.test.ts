import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { SearchUnavailableError } from '../../../models/index/catalogue-search.js';
import { createQuestions } from '../../../models/pgvector/questions.js';
import { openPool } from '../../../platform/postgres/connection.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/postgres.js';

describe('searches that ask the database', () => {
  let database: TemporaryDatabase;
  let told: string[];
  const log = {
    info: (_: object, message: string) => told.push(message),
    error: (_: object, message: string) => told.push(message),
  };
  before(async () => {
    database = await temporaryDatabase();
  });
  after(() => database.drop());
  beforeEach(() => {
    told = [];
  });

  it('are refused where all connections are busy, but not those that come after', async () => {
    const pool = openPool(database.url, 1, { connectMs: 1200 });
    const { ask } = createQuestions({ pool, log });
    await ask('select 1', []);
    // One after the other holds the connection; the last waits for longer than it may.
    const held = [ask('select pg_sleep(0.7)', []), ask('select pg_sleep(0.7)', [])];
    const late = await ask('select 2', []).then(
      () => 'answered',
      (error: unknown) => error,
    );
    expect(late).to.be.instanceOf(SearchUnavailableError);
    await Promise.all(held);
    expect(await ask('select 3 as three', [])).to.deep.equal([{ three: 3 }]);
    expect(told).to.deep.equal([]);
    await pool.end();
  });

  it('are refused at once for half a second where the database is away, which is told once', async () => {
    const pool = openPool('postgres://adjacent@127.0.0.1:1/x', 1, { connectMs: 300 });
    const { ask } = createQuestions({ pool, log });
    const isAsked = async (): Promise<boolean> => {
      const error = await ask('select 1', []).catch((fault: unknown) => fault);
      expect(error).to.be.instanceOf(SearchUnavailableError);
      return (error as Error).cause !== undefined;
    };
    expect([await isAsked(), await isAsked(), await isAsked()]).to.deep.equal([true, false, false]);
    await sleep(600);
    expect(await isAsked()).to.equal(true);
    expect(told).to.deep.equal(['the database does not search; matches that need it get a 503']);
    await pool.end();
  });
});

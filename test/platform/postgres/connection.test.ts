import { expect } from 'chai';
import { createServer, type AddressInfo } from 'node:net';
import { openClient, openPool } from '../../../platform/postgres/connection.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/postgres.js';

const SETTINGS = "select current_setting('search_path') as path, current_setting('lock_timeout') as locks";

describe('a connection to PostgreSQL', () => {
  let database: TemporaryDatabase;
  before(async () => {
    database = await temporaryDatabase();
  });
  after(() => database.drop());

  it('sends no startup parameters that a session pooler refuses', async () => {
    let asked = '';
    const pooler = createServer((socket) =>
      socket.once('data', (data) => {
        asked = data.subarray(8).toString();
        socket.destroy();
      }),
    );
    await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve));
    const { port } = pooler.address() as AddressInfo;
    await openClient(`postgres://adjacent@127.0.0.1:${port}/x`, { statementMs: 1, lockMs: 1 }).catch(() => {});
    await new Promise((resolve) => pooler.close(resolve));
    const names = asked.split('\0').filter((_, position) => position % 2 === 0);
    const known = new Set(['user', 'database', 'client_encoding', 'application_name', '']);
    expect(names)
      .to.include('user')
      .and.satisfy((all: string[]) => all.every((name) => known.has(name)));
  });

  it('has its settings before its first query, alone and in a pool; options in the URL take precedence, except for the schema', async () => {
    const client = await openClient(database.url, { lockMs: 1500 });
    expect((await client.query(SETTINGS)).rows).to.deep.equal([{ path: 'adjacent', locks: '1500ms' }]);
    await client.end();
    const pool = await openPool(`${database.url}?options=-c%20lock_timeout%3D70%20-c%20search_path%3Dpublic`, 2, {
      lockMs: 1500,
    });
    const asked = await Promise.all([1, 2].map(async () => (await pool.query(SETTINGS)).rows[0] as unknown));
    expect(asked).to.deep.equal([1, 2].map(() => ({ path: 'adjacent', locks: '70ms' })));
    await pool.end();
  });

  it('is not ended by limits of the database or the role, which are meant for people’s queries', async () => {
    const name = new URL(database.url).pathname.slice(1);
    const client = await openClient(database.url);
    for (const limit of ['statement_timeout', 'lock_timeout']) {
      await client.query(`alter database ${name} set ${limit} = 7`);
    }
    await client.end();
    const limited = await openClient(database.url, { lockMs: 1500 });
    const { rows } = await limited.query(
      "select current_setting('statement_timeout') as statements, current_setting('lock_timeout') as locks",
    );
    expect(rows).to.deep.equal([{ statements: '0', locks: '1500ms' }]);
    await limited.end();
  });
});

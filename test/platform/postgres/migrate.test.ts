import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { type ClientOptions, openClient } from '../../../platform/postgres/connection.js';
import { DatabaseRefusedError } from '../../../platform/postgres/database-refused.js';
import { migrate } from '../../../platform/postgres/migrate.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/postgres.js';

const FIRST = { name: 'things', sql: 'create table things (thing integer primary key); insert into things values (1)' };
const SECOND = { name: 'weights', sql: 'alter table things add column weight integer not null default 7' };

describe('migrations of a PostgreSQL database', () => {
  let database: TemporaryDatabase;
  let clients: Client[];
  beforeEach(async () => {
    database = await temporaryDatabase();
    clients = [];
  });
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await database.drop();
  });

  const open = async (options: ClientOptions = {}): Promise<Client> => {
    const client = await openClient(database.url, options);
    clients.push(client);
    return client;
  };
  const things = async (client: Client) => (await client.query('select * from things')).rows as unknown[];

  it('run each step once, in a schema of their own, and later steps afterwards', async () => {
    const client = await open();
    await migrate(client, 'shelf', [FIRST]);
    await migrate(client, 'shelf', [FIRST, SECOND]);
    await migrate(client, 'shelf', [FIRST, SECOND]);
    expect(await things(client)).to.deep.equal([{ thing: 1, weight: 7 }]);
    const { rows } = await client.query("select schemaname from pg_tables where tablename = 'things'");
    expect(rows).to.deep.equal([{ schemaname: 'adjacent' }]);
  });

  it('keep the steps of two modules apart, even if they have the same name', async () => {
    const client = await open();
    await migrate(client, 'shelf', [FIRST]);
    await migrate(client, 'cellar', [{ name: FIRST.name, sql: 'create table bottles (bottle integer)' }]);
    expect((await client.query('select * from bottles')).rows).to.deep.equal([]);
  });

  it('are run by only one of several servers that start at once', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => open()));
    await Promise.all(all.map((client) => migrate(client, 'shelf', [FIRST, SECOND])));
    expect(await things(all[0]!)).to.have.length(1);
  });

  it('roll back a failed step and run it again', async () => {
    const client = await open();
    const broken = { name: 'weights', sql: `${SECOND.sql}; select 1 / 0` };
    expect(await migrate(client, 'shelf', [FIRST, broken]).catch(String)).to.contain('division by zero');
    expect(await things(client)).to.deep.equal([{ thing: 1 }]);
    await migrate(client, 'shelf', [FIRST, SECOND]);
    expect(await things(client)).to.deep.equal([{ thing: 1, weight: 7 }]);
  });

  it('may take longer than the statements of their role may otherwise', async () => {
    const client = await open({ statementMs: 100 });
    await migrate(client, 'shelf', [FIRST, { ...SECOND, sql: `${SECOND.sql}; select pg_sleep(0.3)` }]);
    expect(await things(client)).to.deep.equal([{ thing: 1, weight: 7 }]);
    expect(await client.query('select pg_sleep(0.3)').catch(String)).to.contain('statement timeout');
  });

  it('refuse a database whose encoding cannot represent every name', async () => {
    const client = await open();
    const name = `${new URL(database.url).pathname.slice(1)}_latin`;
    await client.query(`create database ${name} encoding 'LATIN1' locale_provider libc locale 'C' template template0`);
    const latin = await openClient(database.url.replace(/[^/]+$/, name));
    const refused = await migrate(latin, 'shelf', [FIRST]).catch((error: unknown) => error);
    await latin.end();
    await client.query(`drop database ${name}`);
    expect(refused).to.be.instanceOf(DatabaseRefusedError);
    expect((refused as Error).message)
      .to.contain('encoding is LATIN1')
      .and.contain("encoding 'UTF8'");
  });

  it('refuse tables of a newer release', async () => {
    const client = await open();
    await migrate(client, 'shelf', [FIRST, SECOND]);
    const refused = await migrate(client, 'shelf', [FIRST]).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(DatabaseRefusedError);
    expect((refused as Error).message).to.contain('shelf tables are of a newer release (its step "weights"');
  });

  it('let a process that used the tables before continue beside a newer release', async () => {
    const client = await open();
    await migrate(client, 'shelf', [FIRST, SECOND]);
    await migrate(client, 'shelf', [FIRST], { reopened: true });
    expect(await things(client)).to.deep.equal([{ thing: 1, weight: 7 }]);
  });

  it('do not block event counting while a dump reads the table, and run when it is over', async () => {
    // A pipelined connection, like the ledger's.
    const client = await open({ pipeline: true });
    const [reader, writer] = [await open(), await open()];
    await migrate(client, 'shelf', [FIRST]);
    await reader.query('begin');
    await reader.query('select * from things');
    let isMade = false;
    const migrating = migrate(client, 'shelf', [FIRST, SECOND]).then(() => (isMade = true));
    let longest = 0;
    for (let thing = 2; thing < 100; thing++) {
      const began = performance.now();
      await writer.query('insert into things values ($1)', [thing]);
      longest = Math.max(longest, performance.now() - began);
      await sleep(25);
    }
    expect(longest, 'of an insert, ms').to.be.within(50, 1000);
    expect(isMade).to.equal(false);
    await reader.query('commit');
    await migrating;
    expect((await things(client))[98 - 1]).to.deep.equal({ thing: 98, weight: 7 });
  });

  it('fail with the reason when the table stays in use, and another server can run them afterwards', async () => {
    const [client, reader] = [await open(), await open()];
    await migrate(client, 'shelf', [FIRST]);
    await reader.query('begin');
    await reader.query('select * from things');
    const refused = await migrate(client, 'shelf', [FIRST, SECOND], { withinMs: 1000 }).catch(String);
    expect(refused).to.contain('shelf tables are in use').and.contain('step "weights"');
    await reader.query('commit');
    await migrate(await open(), 'shelf', [FIRST, SECOND]);
  });

  it('wait until an automatic vacuum would have given way', async () => {
    const [client, vacuum] = [await open(), await open()];
    await migrate(client, 'shelf', [FIRST]);
    await vacuum.query('begin');
    await vacuum.query('lock table things in share update exclusive mode');
    const began = performance.now();
    await migrate(client, 'shelf', [FIRST, SECOND], { withinMs: 0 }).catch(String);
    expect(performance.now() - began).to.be.above(1400);
    await vacuum.query('commit');
  });

  it('do not delay a server that has nothing to migrate', async () => {
    const [client, reader, other] = [await open(), await open(), await open()];
    await migrate(client, 'shelf', [FIRST]);
    await reader.query('begin');
    await reader.query('select * from things');
    let isMade = false;
    const migrating = migrate(client, 'shelf', [FIRST, SECOND]).then(() => (isMade = true));
    await sleep(100);
    await migrate(other, 'shelf', [FIRST], { reopened: true });
    expect(isMade).to.equal(false);
    await reader.query('commit');
    await migrating;
  });

  it('wait for those of another server, however short the lock timeout is', async () => {
    const client = await open();
    await client.query("set lock_timeout = '50ms'");
    const other = await open();
    const slow = migrate(other, 'shelf', [{ name: 'slow', sql: 'select pg_sleep(0.5)' }]);
    await sleep(100);
    await migrate(client, 'shelf', [{ name: 'slow', sql: '' }]);
    await slow;
    expect((await client.query('show lock_timeout')).rows).to.deep.equal([{ lock_timeout: '50ms' }]);
  });

  it('may exceed the time limit of other queries, and so may those of another server', async () => {
    const both = [await open({ responseMs: 300 }), await open({ responseMs: 300 })];
    const slow = { name: 'slow', sql: 'select pg_sleep(1)' };
    const began = performance.now();
    await Promise.all(both.map((client) => migrate(client, 'shelf', [slow])));
    expect(performance.now() - began).to.be.at.least(1000);
    // The step ran only once, and is recorded: running it again would fail.
    await migrate(await open(), 'shelf', [{ name: 'slow', sql: 'select 1 / 0' }]);
  });
});

import { expect } from 'chai';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { Client } from 'pg';
import { openClient } from '../../platform/postgres/connection.js';
import { eventually } from '../support/eventually.js';
import { Installation } from '../support/installation.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/postgres.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Another session locks the table of bills, so that the start waits while it reads past clicks. */
describe('a node that cannot read the history of served ads', function () {
  this.timeout(300_000);
  let database: TemporaryDatabase;
  let node: Installation;
  let client: Client;
  beforeEach(async () => {
    database = await temporaryDatabase();
    node = new Installation(temporaryDirectory(), { DATABASE_URL: database.url });
    await node.serve('server/main.js', 120_000);
    await node.end();
    client = await openClient(database.url);
    await client.query('begin; lock table billed in access exclusive mode');
  });
  afterEach(async () => {
    await node.end();
    await client.end();
    await database.drop();
    await rm(node.dataDir, { recursive: true });
  });

  it('starts without it, and logs the reason', async () => {
    const { origin, output } = await node.serve('server/main.js', 120_000);
    expect(output()).to.include('past impressions and clicks cannot be read').and.include('lock timeout');
    expect((await fetch(`${origin}/healthz`)).status).to.equal(200);
  });

  it('ends at once on SIGTERM while it waits', async () => {
    const { child, output } = node.launch('server/main.js');
    const waiting = "select 1 from pg_locks where not granted and relation = 'billed'::regclass";
    await eventually(async () => expect((await client.query(waiting)).rows, output()).to.have.length(1), 120_000);
    const began = performance.now();
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    expect([code, output().includes('past impressions')]).to.deep.equal([0, false]);
    expect(performance.now() - began).to.be.lessThan(3000);
  });
});

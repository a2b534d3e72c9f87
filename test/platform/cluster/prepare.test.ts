import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { openCluster } from '../../../platform/cluster/cluster.js';
import { openClient } from '../../../platform/postgres/connection.js';
import { ADJACENT_LOCKS, LOCKS } from '../../../platform/postgres/locks.js';
import { lockCatalogue } from '../../../models/snapshot/catalogue-lock.js';
import { type CuttableLink, cuttableLink } from '../../support/cuttable-link.js';
import { eventually } from '../../support/eventually.js';
import { postgresStub } from '../../support/postgres-stub.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/postgres.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** Longer than the time limit for one query. */
const LONGER_MS = 5500;

describe('the start of a node', () => {
  let database: TemporaryDatabase;
  let link: CuttableLink;
  let url: string;
  beforeEach(async () => {
    database = await temporaryDatabase();
    const linked = new URL(database.url);
    link = await cuttableLink(Number(linked.port));
    linked.port = String(link.port);
    url = linked.href;
  });
  afterEach(async () => {
    await link.cut();
    await database.drop();
  });

  it('fails when the database sends nothing after its welcome', async () => {
    const { url: silent, port, close } = await postgresStub();
    const failed = await openCluster({ url: silent, dataDir: temporaryDirectory() }).catch(String);
    expect(failed).to.contain(`DATABASE_URL: 127.0.0.1:${port}/none cannot be reached: Query read timeout`);
    await close();
  });

  it('waits for another node’s migration, but not for a database that stops responding meanwhile', async () => {
    const migrating = await openClient(database.url);
    await migrating.query('select pg_advisory_lock($1, $2)', [ADJACENT_LOCKS, LOCKS.migration]);
    let failed: string | null = null;
    const opening = openCluster({ url, dataDir: temporaryDirectory() }).catch((error: unknown) => {
      failed = String(error);
    });
    await sleep(LONGER_MS);
    expect(failed).to.equal(null);
    link.dropPackets();
    await eventually(() => expect(failed).to.contain('does not answer: Query read timeout'), 8000);
    await opening;
    await migrating.end();
  });

  it('lets a publication wait for another node’s, but not for a database that stops responding meanwhile', async () => {
    const one = await openCluster({ url: database.url, dataDir: temporaryDirectory() });
    const lock = await lockCatalogue(one.dataDir, () => {}, one);
    let failed: string | null = null;
    const dataDir = temporaryDirectory();
    const locking = lockCatalogue(dataDir, () => {}, { ...one, url, dataDir }).catch((error: unknown) => {
      failed = String(error);
    });
    await sleep(LONGER_MS);
    expect(failed).to.equal(null);
    link.dropPackets();
    await eventually(() => expect(failed).to.contain('Query read timeout'), 8000);
    await locking;
    await lock.release();
    await one.close();
  });
});

import { expect } from 'chai';
import { isDatabaseUnreachable } from '../../../platform/cluster/database-unreachable.js';
import { openClient } from '../../../platform/postgres/connection.js';
import { cuttableLink } from '../../support/cuttable-link.js';
import { temporaryDatabase } from '../../support/postgres.js';

describe('a database error', () => {
  it('is an outage if the database is unreachable, lost or shutting down, not if it rejects a statement', async () => {
    const database = await temporaryDatabase();
    const url = new URL(database.url);
    const link = await cuttableLink(Number(url.port));
    try {
      url.port = String(link.port);
      const client = await openClient(url.href);
      const refused: unknown = await client.query('select 1 / 0').catch((error: unknown) => error);
      expect(isDatabaseUnreachable(refused)).to.equal(false);
      const asked = client.query('select pg_sleep(60)').catch((error: unknown) => error);
      await link.cut();
      expect(isDatabaseUnreachable(await asked)).to.equal(true);
      const unreachable = await openClient(url.href).catch((error: unknown) => error);
      expect(isDatabaseUnreachable(unreachable)).to.equal(true);
      await link.mend();
      const other = await openClient(url.href);
      const ended = other.query('select pg_sleep(60)').catch((error: unknown) => error);
      await database.drop();
      expect(isDatabaseUnreachable(await ended)).to.equal(true);
    } finally {
      await link.cut();
    }
  });

  it('is an outage if the database refuses this user a connection', async () => {
    const database = await temporaryDatabase();
    const client = await openClient(database.url);
    const role = `refused_${new URL(database.url).pathname.slice(1)}`;
    const url = database.url.replace('adjacent@', `${role}@`);
    await client.query(`create role ${role} login connection limit 0`);
    expect(await openClient(url).catch(isDatabaseUnreachable)).to.equal(true);
    await client.query(`alter role ${role} nologin connection limit -1`);
    expect(await openClient(url).catch(isDatabaseUnreachable)).to.equal(true);
    await client.query(`drop role ${role}`);
    await client.end();
    await database.drop();
  });
});

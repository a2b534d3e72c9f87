import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { openClient } from '../../platform/postgres/connection.js';
import { cuttableLink } from './cuttable-link.js';
import { startPostgres, type TemporaryPostgres } from './postgres.js';

describe('the PostgreSQL for tests', function () {
  this.timeout(600_000);
  let postgres: TemporaryPostgres;
  before(async () => (postgres = await startPostgres()));
  after(() => postgres.stop());

  const ask = async (url: string, sql: string): Promise<unknown[]> => {
    const client = await openClient(url);
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };

  for (const mode of ['fast', 'immediate'] as const) {
    it(`keeps committed data across a restart (${mode}), but no connections`, async () => {
      const { url } = await postgres.database();
      let lost = 0;
      const client = await openClient(url, {}, () => lost++);
      await client.query('create table public.kept as select 5 as five');
      await postgres.restart(mode, 100);
      expect(await ask(url, 'select five from public.kept')).to.deep.equal([{ five: 5 }]);
      expect(lost).to.be.greaterThan(0);
      expect(await client.query('select 1').catch(() => 'lost')).to.equal('lost');
    });
  }

  it('is out of reach of a Ctrl-C, so that what uses it can end first', async () => {
    const { url } = await postgres.database();
    const [row] = (await ask(url, "select split_part(pg_read_file('postmaster.pid'), e'\\n', 1) as pid")) as {
      pid: string;
    }[];
    const groupOf = (pid: string | number): string =>
      execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    expect(groupOf(row!.pid)).not.to.equal(groupOf(process.pid));
  });

  it('can be reached again through a link that was dark or cut', async () => {
    const url = new URL((await postgres.database()).url);
    const link = await cuttableLink(postgres.port);
    url.port = String(link.port);
    try {
      const client = await openClient(url.href, { responseMs: 300 }, () => undefined);
      link.dropPackets();
      expect(await client.query('select 1').catch(() => 'no answer')).to.equal('no answer');
      await link.mend();
      expect(await ask(url.href, 'select 1 as one')).to.deep.equal([{ one: 1 }]);
      await link.cut();
      expect(await ask(url.href, 'select 1').catch(() => 'refused')).to.equal('refused');
      await link.mend();
      expect(await ask(url.href, 'select 1 as one')).to.deep.equal([{ one: 1 }]);
    } finally {
      await link.cut();
    }
  });
});

import { expect } from 'chai';
import type { Client } from 'pg';
import { openClient } from '../../../platform/postgres/connection.js';
import {
  createReportThread,
  ReportsUnavailableError,
  type ReportThread,
} from '../../../server/reports/report-thread.js';
import { type CuttableLink, cuttableLink } from '../../support/cuttable-link.js';
import { eventually } from '../../support/eventually.js';
import { testClaims, testDigest } from '../../support/test-claims.js';
import { temporaryLedgerIn, type TemporaryLedger } from '../ledger/temporary-ledger.js';
import { type Operator, startOperator, TOKEN } from './operator.js';

const installation = { currency: 'USD', timeZone: 'UTC' };
const ALL = { by: [], test: false };

/** Stores one impression, and returns how a database is reached through a link. */
async function impressionThrough(temporary: TemporaryLedger): Promise<{ link: CuttableLink; url: string }> {
  const ledger = await temporary.open();
  await ledger.record({ kind: 'impression', id: testDigest(1), claims: testClaims(), at: Date.now() });
  await ledger.close();
  const url = new URL((temporary.location as { url: string }).url);
  const link = await cuttableLink(Number(url.port));
  url.port = String(link.port);
  return { link, url: url.href };
}

describe('reports from PostgreSQL', function () {
  this.timeout(120_000);
  let temporary: TemporaryLedger;
  let link: CuttableLink;
  let url: string;
  let reports: ReportThread;
  let client: Client;
  beforeEach(async () => {
    temporary = await temporaryLedgerIn('PostgreSQL');
    ({ link, url } = await impressionThrough(temporary));
    reports = createReportThread({ location: { url }, ...installation });
    client = await openClient((temporary.location as { url: string }).url);
  });
  afterEach(async () => {
    await client.end();
    await reports.close();
    await link.cut();
    await temporary.remove();
  });
  const impressions = async () => (await reports.report(ALL)).total.impressions;

  it('are made over a new connection once the last one has ended', async () => {
    expect(await impressions()).to.equal(1);
    const ended = 'select pg_terminate_backend(pid, 5000) from pg_stat_activity where pid <> pg_backend_pid()';
    await client.query(`${ended} and datname = current_database()`);
    expect(await impressions()).to.equal(1);
    await link.cut();
    await link.mend();
    expect(await impressions()).to.equal(1);
  });

  it('are unavailable, with the code, while the database is away or the tables are locked, and made afterwards', async () => {
    await link.cut();
    expect(await reports.report(ALL).catch((error: unknown) => error))
      .to.be.instanceOf(ReportsUnavailableError)
      .with.property('code', 'ECONNREFUSED');
    await link.mend();
    await client.query('begin; lock table counters in access exclusive mode');
    expect(await reports.report(ALL).catch((error: unknown) => error))
      .to.be.instanceOf(ReportsUnavailableError)
      .with.property('code', '55P03');
    await client.query('rollback');
    expect(await impressions()).to.equal(1);
  });

  it('are made again if they conflict with what a replica has to apply', async () => {
    // A policy applies to this role only, and fails as long as the row is there.
    const reader = `reader_${new URL(url).pathname.slice(1)}`;
    await client.query(`create table conflict (once int); insert into conflict values (1);
      create function conflicts() returns boolean language plpgsql as $$ begin
        if not exists (select from adjacent.conflict) then return true; end if;
        perform pg_sleep(1);
        raise exception 'conflict with recovery' using errcode = '40001'; end $$;
      create role ${reader} login; grant usage on schema adjacent to ${reader};
      grant select on all tables in schema adjacent to ${reader};
      alter table counters enable row level security;
      create policy may_conflict on counters to ${reader} using (conflicts())`);
    const asReader = createReportThread({
      location: { url: url.replace('adjacent@', `${reader}@`) },
      ...installation,
    });
    const made = asReader.report(ALL).then(({ total }) => total.impressions, String);
    const sleeping = "select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()";
    await eventually(async () => expect((await client.query(sleeping)).rowCount).to.equal(1), 20_000);
    await client.query('delete from conflict');
    expect(await made).to.equal(1);
    await asReader.close();
    await client.query(`drop policy may_conflict on counters; drop owned by ${reader}; drop role ${reader}`);
  });
});

describe('report API and dashboard while the database of reports is away', function () {
  this.timeout(240_000);
  let temporary: TemporaryLedger;
  let link: CuttableLink;
  let operator: Operator;
  before(async () => {
    temporary = await temporaryLedgerIn('PostgreSQL');
    const reached = await impressionThrough(temporary);
    ({ link } = reached);
    const { url } = temporary.location as { url: string };
    operator = await startOperator({ settings: { DATABASE_URL: url, REPORTS_DATABASE_URL: reached.url } });
    await operator.signIn();
  });
  after(async () => {
    await operator.close();
    await link.cut();
    await temporary.remove();
  });

  it('answer 503 with Retry-After, and log the reason; afterwards they work again', async () => {
    const [api, page] = [
      () => operator.get('/admin/api/reports?by=', { authorization: `Bearer ${TOKEN}` }),
      () => operator.get('/admin/reports'),
    ];
    for (const get of [api, page]) expect((await get()).status).to.equal(200);
    await link.cut();
    for (const get of [api, page]) {
      const response = await get();
      expect([response.status, response.headers.get('retry-after')]).to.deep.equal([503, '5']);
      expect(await response.text()).to.match(/reports cannot be read now/i);
    }
    const campaigns = await operator.page('/admin/campaigns');
    expect(campaigns).to.include('cannot be read now').and.include('No campaigns yet');
    const logged = operator.logged.filter(({ msg }) => msg === 'reports cannot be read now');
    expect(logged.map(({ level, err }) => [level, (err as { code: string }).code])).to.deep.equal([
      [40, 'ECONNREFUSED'],
      [40, 'ECONNREFUSED'],
    ]);
    await link.mend();
    for (const get of [api, page]) expect((await get()).status).to.equal(200);
    expect(await operator.page('/admin/campaigns')).to.not.include('cannot be read now');
  });
});

describe('report API and dashboard while reports take too long', function () {
  this.timeout(240_000);
  let temporary: TemporaryLedger;
  let operator: Operator;
  let client: Client;
  before(async () => {
    temporary = await temporaryLedgerIn('PostgreSQL');
    await (await temporary.open()).close();
    const { url } = temporary.location as { url: string };
    client = await openClient(url);
    const hasty = new URL(url);
    hasty.searchParams.set('options', '-c statement_timeout=1500');
    operator = await startOperator({ settings: { DATABASE_URL: url, REPORTS_DATABASE_URL: hasty.href } });
    await operator.signIn();
  });
  after(async () => {
    await operator.close();
    await client.end();
    await temporary.remove();
  });
  afterEach(() => client.query('rollback'));

  const lockCounters = () => client.query('begin; lock table counters in access exclusive mode');
  const api = (query: string) => operator.get(`/admin/api/reports?${query}`, { authorization: `Bearer ${TOKEN}` });
  const retryOf = ({ status, headers }: Response) => [status, headers.get('retry-after')];

  it('answer 503 with Retry-After and what to do, and log it, once the database cancels a report', async () => {
    await lockCounters();
    for (const response of [await api('by='), await operator.get('/admin/reports?test=0')]) {
      expect(retryOf(response)).to.deep.equal([503, '60']);
      expect(await response.text()).to.match(/takes longer than the database allows; ask for a shorter period/);
    }
    const codes = operator.logged.flatMap(({ level, err }) => (err ? [[level, (err as { code: string }).code]] : []));
    expect(codes).to.deep.equal([
      [40, '57014'],
      [40, '57014'],
    ]);
    await client.query('rollback');
    expect((await operator.get('/admin/reports')).status).to.equal(200);
  });

  it('answer 503 with Retry-After at once to requests beyond those that may wait', async () => {
    await lockCounters();
    const waiting = Array.from({ length: 64 }, () => api('by='));
    // The API and the pages share one queue.
    await eventually(async () => {
      const response = await operator.get('/admin/reports.csv?test=0');
      expect(retryOf(response)).to.deep.equal([503, '1']);
      expect(await response.text()).to.match(/Too many reports at once/);
    }, 1000);
    expect(retryOf(await api('by='))).to.deep.equal([503, '1']);
    await client.query('rollback');
    await Promise.all(waiting);
    expect((await operator.get('/admin/')).status).to.equal(200);
  });
});

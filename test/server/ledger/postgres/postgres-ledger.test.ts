import { expect } from 'chai';
import type { Client } from 'pg';
import { sql } from '#kysely';
import { setTimeout as pause } from 'node:timers/promises';
import { openClient } from '../../../../platform/postgres/connection.js';
import { ADJACENT_LOCKS, LOCKS } from '../../../../platform/postgres/locks.js';
import { openForReading, openForWriting } from '../../../../server/ledger/database.js';
import { createRetention } from '../../../../server/ledger/retention.js';
import { LedgerRefusedError } from '../../../../server/ledger/tables/ledger-database.js';
import { LedgerUnavailableError, type Outcome, type UsageEvent } from '../../../../server/ledger/tables/ledger.js';
import { report } from '../../../../server/reports/report.js';
import { eventually } from '../../../support/eventually.js';
import { testClaims, testDigest } from '../../../support/test-claims.js';
import { runLedgerCommand } from '../run-ledger-command.js';
import { readLedger, rowsOf, type TemporaryLedger, temporaryLedgerIn } from '../temporary-ledger.js';

const at = Date.UTC(2026, 10, 21, 12);
const impression = (number: number): UsageEvent => ({
  kind: 'impression',
  id: testDigest(number),
  claims: testClaims({ issuedAt: at }),
  at,
});
const counted: Outcome = { counted: true, priceMicros: 2500 };

describe('a ledger in PostgreSQL', function () {
  // Each test creates a database, which alone takes ten seconds on a busy disk.
  this.timeout(120_000);
  let temporary: TemporaryLedger;
  let url: string;
  let client: Client;
  beforeEach(async () => {
    temporary = await temporaryLedgerIn('PostgreSQL');
    url = (temporary.location as { url: string }).url;
    client = await openClient(url);
  });
  afterEach(async () => {
    await client.end();
    await temporary.remove();
  });

  const stored = async () => (await client.query<{ n: string }>('select count(*) as n from events')).rows[0]!.n;

  it('waits at its start while another server holds the exclusive lock', async () => {
    await (await temporary.open()).close();
    await client.query('begin');
    await client.query(`select pg_advisory_xact_lock(${ADJACENT_LOCKS}, ${LOCKS.ledger})`);
    const opening = temporary.open({ busyTimeoutMs: 50 });
    const waiting = 'select 1 from pg_locks where not granted and objid = $1';
    await eventually(async () => expect((await client.query(waiting, [LOCKS.ledger])).rows).to.have.length(1), 60_000);
    await pause(500);
    await client.query('commit');
    expect(await (await opening).record(impression(0))).to.deep.equal(counted);
  });

  it('is unavailable while its database is unreachable, then recovers by itself and counts the same events', async () => {
    const ledger = await temporary.open();
    await ledger.record(impression(0));
    const database = new URL(url).pathname.slice(1);
    const other = await openClient(url.replace(database, 'postgres'));
    await other.query(`alter database ${database} allow_connections false`);
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    );
    ledger.ignore({ kind: 'click', reason: 'invalid', claims: null, at });
    const refused = await Promise.all(
      [1, 2].map((number) => ledger.record(impression(number)).catch((error: unknown) => error)),
    );
    for (const error of refused) expect(error).to.be.instanceOf(LedgerUnavailableError);
    expect(ledger.fault).to.be.instanceOf(Error);
    await other.query(`alter database ${database} allow_connections true`);
    await other.end();
    await eventually(() => expect(ledger.fault).to.equal(null), 20_000);
    expect(await Promise.all([0, 1, 2].map((number) => ledger.record(impression(number))))).to.deep.equal([
      { counted: false, reason: 'repeated' },
      counted,
      counted,
    ]);
    await ledger.close();
    const { rows } = await client.query(
      "select sum(times)::int as n from counters where grain = 'day' and reason = 'invalid'",
    );
    expect(rows).to.deep.equal([{ n: 1 }]);
  });

  it('says at its end what is lost if its database is away', async () => {
    const ledger = await temporary.open({ busyTimeoutMs: 50 });
    await client.query('begin; lock table counters in access exclusive mode');
    ledger.ignore({ kind: 'click', reason: 'invalid', claims: null, at });
    const ended = await ledger.close().catch(String);
    expect(ended).to.include('counts of decisions and ignored events are lost').and.include('lock timeout');
    await client.query('rollback');
  });

  it('is unavailable while another session holds the exclusive lock for long, and keeps its connection', async () => {
    const ledger = await temporary.open({ busyTimeoutMs: 50 });
    const servers = 'select pid from pg_locks where classid = 4277323';
    const before = (await client.query(servers)).rows;
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(4277322, 1)');
    const refused = await ledger.record(impression(1)).catch((error: Error) => (error.cause as Error).message);
    expect(refused).to.include('lock timeout');
    await client.query('rollback');
    expect(await ledger.record(impression(1))).to.deep.equal(counted);
    expect((await client.query(servers)).rows).to.deep.equal(before);
  });

  it('has committed an event before it acknowledges it', async () => {
    const ledger = await temporary.open();
    for (let number = 1; number <= 10; number++) {
      await ledger.record(impression(number));
      expect(await stored()).to.equal(String(number));
    }
  });

  it('waits for the disk, whatever the default of the database', async () => {
    const database = new URL(url).pathname.slice(1);
    await client.query(`alter database ${database} set synchronous_commit = off`);
    const ledger = openForWriting(temporary.location, 0);
    expect(rowsOf(ledger, "select current_setting('synchronous_commit') as setting")).to.deep.equal([
      { setting: 'on' },
    ]);
    ledger.close();
  });

  it('sees commits made while it waited for its turn, whatever the default isolation level of the database', async () => {
    const database = new URL(url).pathname.slice(1);
    await client.query(`alter database ${database} set default_transaction_isolation = 'repeatable read'`);
    const ledger = openForWriting(temporary.location, 0);
    const setting = "select current_setting('transaction_isolation') as level";
    expect(ledger.exclusively(() => rowsOf(ledger, setting))).to.deep.equal([{ level: 'read committed' }]);
    ledger.close();
  });

  it('is released within seconds by a writer that is silent within a transaction', () => {
    const ledger = openForWriting(temporary.location, 0);
    const setting = "select current_setting('idle_in_transaction_session_timeout') as silent";
    expect(rowsOf(ledger, setting)).to.deep.equal([{ silent: '5s' }]);
    ledger.close();
  });

  it('gives up pruning if it cannot get the exclusive lock soon', async () => {
    await (await temporary.open()).close();
    const ledger = openForWriting(temporary.location, 20_000);
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock_shared(4277322, 1)');
    const began = performance.now();
    expect(() => createRetention(ledger, 'UTC', 31).step(at, 100)).to.throw('lock timeout');
    expect(performance.now() - began).to.be.lessThan(10_000);
    await client.query('rollback');
    expect(createRetention(ledger, 'UTC', 31).step(at, 100)).to.equal(false);
    ledger.close();
  });

  it('prunes while batches go on, once its walk has begun', async () => {
    const server = await temporary.open();
    const old = at - 90 * 24 * 3_600_000;
    await server.record({ ...impression(1), claims: testClaims({ issuedAt: old }), at: old });
    await server.record(impression(2));
    await server.close();
    const ledger = openForWriting(temporary.location, 20_000);
    const retention = createRetention(ledger, 'UTC', 31);
    expect([retention.step(at, 100), await stored()]).to.deep.equal([true, '2']);
    await client.query('begin');
    await client.query(`select pg_advisory_xact_lock_shared(${ADJACENT_LOCKS}, ${LOCKS.ledger})`);
    while (retention.step(at, 100));
    await client.query('commit');
    ledger.close();
    expect(await stored()).to.equal('1');
  });

  it('refuses a server with another currency or time zone while another server is connected, even before the first event', async () => {
    const first = await temporary.open();
    const currency = await temporary.open({ currency: 'EUR' }).catch((error: unknown) => error);
    expect(currency).to.be.instanceOf(LedgerRefusedError).with.property('message').that.includes('CURRENCY is EUR');
    expect(await temporary.open({ timeZone: 'Europe/Berlin' }).catch(String)).to.include('TIME_ZONE is Europe/Berlin');
    await first.close();
    await temporary.open({ currency: 'EUR' });
  });

  it('does not wait forever for a database that does not answer', async () => {
    const ledger = openForWriting(temporary.location, 0, 1000);
    const sleep = (seconds: number) => () => rowsOf(ledger, `select 1 as one from pg_sleep(${seconds})`);
    expect(ledger.exclusivelyForLong(sleep(2))).to.have.length(1);
    const began = performance.now();
    expect(() => ledger.exclusively(sleep(20))).to.throw('no answer within 1000 ms');
    expect(performance.now() - began).to.be.lessThan(8000);
  });

  it('refuses tables of a newer release, for reading too, and cannot be opened without a database', async () => {
    await (await temporary.open()).close();
    await client.query("insert into migrations (room, name, position) values ('ledger', 'from-the-future', 99)");
    const refusal = await temporary.open().catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(LedgerRefusedError).with.property('message').that.includes('newer release');
    expect(() => openForReading(temporary.location)).to.throw(LedgerRefusedError, 'newer release');
    const nowhere = { url: 'postgres://adjacent@127.0.0.1:1/nothing' };
    expect(await temporary.open({ database: nowhere }).catch(String)).to.match(/cannot be opened: .*ECONNREFUSED/);
  });

  it('can still be read for reports by a running server after a newer release has extended its tables', async () => {
    await (await temporary.open()).close();
    await client.query("insert into migrations (room, name, position) values ('ledger', 'from-the-future', 99)");
    const database = openForReading(temporary.location, true);
    expect(report(database, { by: ['hour'], test: false }, { currency: 'USD', timeZone: 'UTC' }).rows).to.deep.equal(
      [],
    );
    database.close();
    await client.query("update migrations set name = 'another' where name = 'tables'");
    expect(() => openForReading(temporary.location, true)).to.throw(LedgerRefusedError, 'newer release');
  });

  it('before a server has opened it, is empty for commands and refused to servers; a read-only role can read it', async () => {
    const ask = (place: { url: string }) =>
      readLedger(
        place,
        (database) =>
          report(database, { by: ['hour'], test: false }, { currency: 'USD', timeZone: 'UTC' }).total.impressions,
      );
    expect(ask({ url })).to.equal(0);
    expect(() => openForReading({ url }, true)).to.throw(
      LedgerRefusedError,
      'has no ledger: REPORTS_DATABASE_URL must be',
    );
    const ledger = await temporary.open();
    await ledger.record(impression(1));
    await ledger.close();
    const reader = `reader_${new URL(url).pathname.slice(1)}`;
    await client.query(`create role ${reader} login; grant usage on schema adjacent to ${reader};
      grant select on all tables in schema adjacent to ${reader}`);
    expect(ask({ url: url.replace('adjacent@', `${reader}@`) })).to.equal(1);
    await client.query(`drop owned by ${reader}; drop role ${reader}`);
  });

  it('is backed up with the programs of PostgreSQL, which the command names', async () => {
    for (const name of ['backup', 'restore']) {
      const { code, err } = await runLedgerCommand(temporary, name, 'copy.sqlite');
      expect(code).to.equal(2);
      expect(err).to.include(`${name} is for a ledger in a file`).and.include('pg_dump and pg_restore');
    }
  });

  it('is checked to the end, however short a limit its database sets for statements', async () => {
    await (await temporary.open()).close();
    await client.query(`alter database ${new URL(url).pathname.slice(1)} set statement_timeout = '1s'`);
    await client.query('begin; lock table events in access exclusive mode');
    const checking = runLedgerCommand(temporary, 'check');
    const waiting = "select 1 from pg_locks where not granted and relation = 'events'::regclass";
    await eventually(async () => expect((await client.query(waiting)).rows).to.have.length(1), 60_000);
    await pause(1500);
    await client.query('commit');
    const { code, err } = await checking;
    expect(`${code} ${err}`).to.equal('0 ');
  });

  it('counts an ad whose names end with a lone surrogate, and keeps to its budget', async () => {
    const ledger = await temporary.open();
    const half = { publisher: 'Chat \ud83d', advertiser: 'Green \ud83e', campaign: 'Sale \ud83d', issuedAt: at };
    const claims = testClaims({ ...half, limits: { totalMicros: 5000, dailyMicros: null } });
    const outcomes: Outcome[] = [];
    for (const number of [1, 2, 3]) {
      outcomes.push(await ledger.record({ kind: 'impression', id: testDigest(number), claims, at }));
    }
    expect(outcomes).to.deep.equal([counted, counted, { counted: false, reason: 'over-budget' }]);
  });

  it('stores names of any length and script unchanged', async () => {
    const ledger = await temporary.open();
    const names = ['publisher', 'advertiser', 'campaign'].map((name) => [name, `${name} '"\\{},${'🦔'.repeat(180)}`]);
    const claims = testClaims({ ...Object.fromEntries(names), creative: '🦔'.repeat(60), issuedAt: at });
    expect(await ledger.record({ kind: 'impression', id: testDigest(1), claims, at })).to.deep.equal(counted);
    await ledger.close();
    const database = openForReading(temporary.location);
    const found = database.run(
      sql<Record<string, string>>`select * from dimension_sets where publisher <> '' and creative <> ''`,
    );
    database.close();
    expect(found[0]).to.include({ ...Object.fromEntries(names), creative: claims.creative });
  });
});

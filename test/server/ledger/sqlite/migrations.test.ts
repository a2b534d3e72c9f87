import Sqlite from 'better-sqlite3';
import { expect } from 'chai';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { invoice } from '../../../../server/invoice/invoice.js';
import { openForReading } from '../../../../server/ledger/database.js';
import type { UsageEvent } from '../../../../server/ledger/tables/ledger.js';
import { MIGRATIONS } from '../../../../server/ledger/sqlite/migrations.js';
import { report } from '../../../../server/reports/report.js';
import { runLedgerCommand } from '../run-ledger-command.js';
import { temporaryLedger, type TemporaryLedger } from '../temporary-ledger.js';
import { testClaims, testDigest } from '../../../support/test-claims.js';
import { DAY } from '../../../../platform/time/durations.js';

const at = Date.UTC(2026, 10, 21, 12);
const basis = { currency: 'USD', timeZone: 'UTC' };

/** SQL that takes a file back one version each, beginning with the latest. */
const EARLIER: readonly string[] = [
  `create table old_spend (day integer not null, campaign text not null, creative text not null, micros integer not null,
     constraint spend_account primary key (day, campaign, creative)) strict, without rowid;
   insert into old_spend select day, campaign, creative, sum(micros) from spend group by 1, 2, 3;
   drop table spend; alter table old_spend rename to spend`,
  'drop table invoice_documents; drop table invoices; drop table voided; drop table corrections',
  `alter table dimension_sets rename to placements;
   alter table placements rename column dimension_set to placement;
   alter table events rename column dimension_set to placement;
   alter table counters rename column dimension_set to placement;
   alter table billed rename column dimension_set to placement`,
  'drop table spend',
  `drop table billed; drop table closed_months; alter table events drop column month;
   delete from installation where name = 'roll_ups'`,
];

/** The tables of version 3, as release 0.1 created them. */
const VERSION_3 = [
  'CREATE TABLE "placements" ("placement" integer primary key, "publisher" text not null, "advertiser" text not null, "campaign" text not null, "creative" text not null, "test" integer not null, constraint "placements_names" unique ("publisher", "advertiser", "campaign", "creative", "test")) strict',
  'CREATE TABLE "events" ("id" blob not null, "kind" text not null, "at" integer not null, "placement" integer not null references "placements" ("placement"), "price_micros" integer not null, "reason" text not null, "month" integer default 0 not null, constraint "events_once" primary key ("id", "kind")) strict, without rowid',
  'CREATE TABLE "counters" ("grain" text not null, "start" integer not null, "placement" integer not null references "placements" ("placement"), "counted" text not null, "reason" text not null, "times" integer not null, "micros" integer not null, constraint "counters_cell" primary key ("grain", "start", "placement", "counted", "reason")) strict, without rowid',
  'CREATE TABLE "billed" ("month" integer not null, "day" integer not null, "placement" integer not null references "placements" ("placement"), "kind" text not null, "price_micros" integer not null, "times" integer not null, constraint "billed_once" primary key ("month", "day", "placement", "kind", "price_micros")) strict, without rowid',
];

describe('a ledger of an earlier release', () => {
  let temporary: TemporaryLedger;
  beforeEach(async () => {
    temporary = temporaryLedger();
    const ledger = await temporary.open();
    await Promise.all(EVENTS.map((event) => ledger.record(event)));
    ledger.countDecision({ publisher: 'p1', test: false, result: { filled: false, reason: 'below-floor' }, at });
    await ledger.close();
  });
  afterEach(() => temporary.remove());

  it('has the tables that release 0.1 made, taken back to version 3', () => {
    takeBackTo(3);
    const database = new Sqlite(temporary.file, { readonly: true });
    const tables = database.prepare('select sql from sqlite_master where sql is not null').pluck().all();
    database.close();
    expect(tables).to.include.members(VERSION_3);
  });

  for (const version of [4, 3, 2, 1]) {
    it(`keeps every count, price and budget when it is migrated from version ${version}`, async () => {
      const before = await contents();
      expect(before.spending).to.have.deep.members([
        { advertiser: '', campaign: 'x', creative: '', total: 15, today: 5 },
        { advertiser: '', campaign: '', creative: 'c', total: 5, today: 5 },
        { advertiser: 'Other', campaign: 'x', creative: '', total: 5, today: 5 },
      ]);
      takeBackTo(version);
      expect(await contents()).to.deep.equal(before);
      const again = await temporary.open();
      expect(await again.record(EVENTS[0]!)).to.deep.equal({ counted: false, reason: 'repeated' });
    });
  }

  for (const version of [3, 2, 1]) {
    it(`is backed up as version ${version}, and migrated when it is restored`, async () => {
      const before = await contents();
      takeBackTo(version);
      const folder = join(temporary.dataDir, 'copies');
      mkdirSync(folder);
      const copy = join(folder, 'before.sqlite');
      expect(await runLedgerCommand(temporary, 'backup', copy)).to.deep.include({ code: 0, err: '' });
      expect(readdirSync(folder)).to.deep.equal(['before.sqlite']);
      expect(versionOf(copy)).to.equal(version);
      rmSync(temporary.file);
      expect(await runLedgerCommand(temporary, 'restore', copy)).to.deep.include({ code: 0, err: '' });
      expect(versionOf(temporary.file)).to.equal(MIGRATIONS.length);
      expect(known()).to.deep.equal({ rows: before.rows, owed: before.owed });
      expect(await contents()).to.deep.equal(before);
    });
  }

  it('is refused by commands that only read, until a server has migrated it', async () => {
    takeBackTo(3);
    expect(() => openForReading(temporary.location)).to.throw('start the server once');
    await (await temporary.open()).close();
    openForReading(temporary.location).close();
  });

  function takeBackTo(version: number): void {
    const database = new Sqlite(temporary.file);
    for (const step of EARLIER.slice(0, 1 + EARLIER.length - version)) database.exec(step);
    database.pragma(`user_version = ${version}`);
    database.close();
  }

  /** Returns its reports, invoices and budgets after it was opened for writing. */
  async function contents() {
    const ledger = await temporary.open();
    const spending = await ledger.spending(at + DAY);
    await ledger.close();
    return { spending, ...known() };
  }

  /** Returns what commands that only read find in it. */
  function known() {
    const database = openForReading(temporary.location);
    const by = ['day', 'publisher', 'campaign', 'creative'] as const;
    const rows = [false, true].map((test) => report(database, { by, test }, basis).rows);
    const owed = invoice(database, '', 202611, basis).lines;
    database.close();
    return { rows, owed };
  }

  function versionOf(file: string): unknown {
    const database = new Sqlite(file, { readonly: true });
    try {
      return database.pragma('user_version', { simple: true });
    } finally {
      database.close();
    }
  }
});

function eventOf(number: number, campaign: string | null, day: number, advertiser: string | null = null): UsageEvent {
  const names = { publisher: `p${number % 2}`, creative: 'c', campaign, advertiser };
  const claims = testClaims({ ...names, pricing: { model: 'cpc', micros: 5 }, issuedAt: at, test: number === 9 });
  return { kind: 'click', id: testDigest(number), claims, at: at + day * DAY };
}

const EVENTS = [
  eventOf(1, 'x', 0),
  eventOf(2, 'x', 0),
  eventOf(3, 'x', 1),
  eventOf(4, null, 1),
  // Another advertiser's campaign with the same name.
  eventOf(5, 'x', 1, 'Other'),
  eventOf(9, 'x', 1),
];

import Sqlite from 'better-sqlite3';
import { expect } from 'chai';
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openForWriting, type LedgerLocation } from '../../../server/ledger/database.js';
import type { Ledger, UsageEvent } from '../../../server/ledger/tables/ledger.js';
import { rebuildRollUps } from '../../../server/ledger/sums/rebuild.js';
import { createRetention } from '../../../server/ledger/retention.js';
import { asJson } from '../../../server/reports/formats.js';
import { report } from '../../../server/reports/report.js';
import { runLedgerCommand } from './run-ledger-command.js';
import {
  allSums,
  execute,
  readLedger,
  rowsOf,
  STORES,
  type TemporaryLedger,
  temporaryLedger,
  temporaryLedgerIn,
} from './temporary-ledger.js';
import { testClaims, testDigest } from '../../support/test-claims.js';
import { DAY } from '../../../platform/time/durations.js';

const basis = { currency: 'USD', timeZone: 'UTC' };

const eventOf = (number: number, at: number): UsageEvent => ({
  kind: number % 5 === 0 ? 'click' : 'impression',
  id: testDigest(number * 7919),
  claims: testClaims({ publisher: `p${number % 2}`, creative: `c${number % 3}`, campaign: null, issuedAt: at }),
  at,
});
/** Records one event and one decision on each of the `days` up to `now`. */
const fill = async (ledger: Ledger, now: number, days: number): Promise<void> => {
  for (let day = 0; day < days; day++) {
    const at = now - day * DAY;
    ledger.countDecision({ publisher: 'p0', test: false, result: { filled: false, reason: 'below-floor' }, at });
    await ledger.record(eventOf(day, at));
  }
};
const reportOf = (place: LedgerLocation) =>
  readLedger(place, (database) => asJson(report(database, { by: ['day', 'creative'], test: false }, basis)));
for (const store of STORES) {
  describe(`a ledger kept for years in ${store}`, () => {
    let temporary: TemporaryLedger;
    beforeEach(async () => {
      temporary = await temporaryLedgerIn(store);
    });
    afterEach(() => temporary.remove());

    const run = (...argv: string[]) => runLedgerCommand(temporary, ...argv);

    it('deletes raw events after the retention time, and keeps their sums, also after a rebuild', async () => {
      const now = Date.UTC(2026, 10, 22, 12);
      const ledger = await temporary.open();
      await fill(ledger, now, 100);
      await ledger.close();
      const before = reportOf(temporary.location);
      const database = openForWriting(temporary.location, 0);
      const retention = createRetention(database, 'UTC', 40);
      while (retention.step(now));
      const oldest = Date.UTC(2026, 9, 13);
      const kept = [{ n: 41, oldest }];
      expect(
        rowsOf(database, 'select count(*) as n, min(at) / 86400000 * 86400000 as oldest from events'),
      ).to.deep.equal(kept);
      const minutes =
        "select count(*) as n, min(start) / 1440 * 86400000 as oldest from counters where grain = 'minute'";
      expect(rowsOf(database, minutes)).to.deep.equal(kept);
      expect(reportOf(temporary.location)).to.deep.equal(before);
      const sums = allSums(database);
      execute(
        database,
        `delete from counters where grain like 'day%'; delete from billed where day >= ${oldest / 60_000}`,
      );
      rebuildRollUps(database, 'UTC');
      expect(allSums(database)).to.deep.equal(sums);
      database.close();
    });

    it('deletes old events by itself while a server runs, and by command', async () => {
      const now = Date.now();
      const ledger = await temporary.open({ keepEventsDays: 31 });
      await fill(ledger, now, 35);
      const count = () =>
        readLedger(
          temporary.location,
          (database) => rowsOf<{ n: number }>(database, 'select count(*) as n from events')[0]!.n,
        );
      while (count() > 32) await new Promise((resolve) => setTimeout(resolve, 100));
      expect(count()).to.equal(32);
      expect(await ledger.record(eventOf(3, now))).to.deep.equal({ counted: false, reason: 'repeated' });
      await ledger.close();
      const database = openForWriting(temporary.location, 1000);
      execute(database, "update installation set value = '0' where name in ('kept_from', 'issued_from')");
      database.close();
      const again = await temporary.open();
      await again.record(eventOf(1000, now - 200 * DAY));
      await again.close();
      expect(count()).to.equal(33);
      expect(await run('prune')).to.deep.include({ code: 0, err: '' });
      expect(count()).to.equal(32);
    });
  });
}

describe('a ledger kept for years in a file', () => {
  let temporary: TemporaryLedger;
  beforeEach(() => {
    temporary = temporaryLedger();
  });
  afterEach(() => temporary.remove());

  const run = (...argv: string[]) => runLedgerCommand(temporary, ...argv);

  it('is pruned by command without keeping a running server from counting', async () => {
    const now = Date.now();
    const ledger = await temporary.open({ busyTimeoutMs: 300 });
    await ledger.record(eventOf(1, now));
    const database = openForWriting(temporary.location, 1000);
    const old = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 500000)
      insert into events select randomblob(16), 'view', ${now - 200 * DAY}, 1, 0, '', 202601 from numbers`;
    execute(database, old);
    database.close();
    const state = { pruning: true };
    const pruned = run('prune').finally(() => (state.pruning = false));
    for (let number = 2; state.pruning; number++) await ledger.record(eventOf(number, now));
    expect(await pruned).to.deep.include({ code: 0, err: '' });
    const left = readLedger({ file: temporary.file }, (each) =>
      rowsOf(each, "select 1 from events where kind = 'view'"),
    );
    expect(left).to.deep.equal([]);
  });

  it('is backed up completely during writes: every event acknowledged before, with sums that agree', async () => {
    const ledger = await temporary.open();
    const state = { acknowledged: 0, writing: true };
    const write = async (first: number): Promise<void> => {
      for (let number = first; state.writing; number += 20) {
        await ledger.record(eventOf(number, Date.UTC(2026, 10, 21)));
        state.acknowledged++;
      }
    };
    const writers = Array.from({ length: 20 }, (_, lane) => write(lane));
    while (state.acknowledged < 1000) await new Promise((resolve) => setTimeout(resolve, 10));
    const before = state.acknowledged;
    const copy = join(temporary.dataDir, 'copy.sqlite');
    expect(await run('backup', copy)).to.deep.include({ code: 0, err: '' });
    state.writing = false;
    await Promise.all(writers);
    readLedger({ file: copy }, (database) => {
      const events = rowsOf<{ n: number }>(database, 'select count(*) as n from events')[0]!.n;
      expect(events).to.be.at.least(before).and.below(state.acknowledged);
      for (const grain of ['quarter', 'day', 'day-total', 'day-creative', 'day-publisher', 'quarter-total']) {
        const sum = rowsOf(database, `select sum(times) as n from counters where grain = '${grain}'`);
        expect(sum, grain).to.deep.equal([{ n: events }]);
      }
    });
    expect((await run('backup', copy)).err).to.include('exists already');
  });

  it('is restored completely, with the previous one kept beside it, but not while a server runs', async () => {
    const ledger = await temporary.open();
    await ledger.record(eventOf(1, Date.UTC(2026, 10, 21)));
    const copy = join(temporary.dataDir, 'copy.sqlite');
    expect((await run('backup', copy)).code).to.equal(0);
    const then = reportOf({ file: temporary.file });
    await ledger.record(eventOf(2, Date.UTC(2026, 10, 21)));
    const refused = await run('restore', copy);
    expect(refused.code).to.equal(1);
    expect(refused.err).to.include('stop the server first');
    expect(existsSync(`${temporary.file}.part`)).to.equal(false);
    await ledger.close();
    const later = reportOf({ file: temporary.file });
    const { code, out } = await run('restore', copy);
    expect(code).to.equal(0);
    expect(reportOf({ file: temporary.file })).to.deep.equal(then);
    expect(reportOf({ file: /the old one is (.*)\n/.exec(out)![1]! })).to.deep.equal(later);
    const again = await temporary.open();
    expect(await again.record(eventOf(1, Date.UTC(2026, 10, 21)))).to.deep.equal({
      counted: false,
      reason: 'repeated',
    });
    expect(await again.record(eventOf(2, Date.UTC(2026, 10, 21)))).to.have.property('counted', true);
  });

  it('is not replaced by a backup that is incomplete or not a ledger', async () => {
    const ledger = await temporary.open();
    await fill(ledger, Date.UTC(2026, 10, 21), 300);
    await ledger.close();
    const copy = join(temporary.dataDir, 'copy.sqlite');
    expect((await run('backup', copy)).code).to.equal(0);
    truncateSync(copy, 20_000);
    const text = join(temporary.dataDir, 'text.sqlite');
    writeFileSync(text, 'x'.repeat(9000));
    const before = readFileSync(temporary.file);
    for (const file of [copy, text, join(temporary.dataDir, 'nowhere.sqlite')]) {
      expect((await run('restore', file)).code, file).to.equal(1);
    }
    expect(readFileSync(temporary.file).equals(before)).to.equal(true);
    expect(existsSync(`${temporary.file}.part`)).to.equal(false);
  });

  it('has its roll-ups rebuilt by a command, which names its help for wrong arguments', async () => {
    const ledger = await temporary.open();
    await fill(ledger, Date.UTC(2026, 10, 21), 10);
    await ledger.close();
    const before = reportOf({ file: temporary.file });
    const database = new Sqlite(temporary.file);
    database.exec("update counters set times = 7 where grain <> 'minute'");
    database.close();
    expect(reportOf({ file: temporary.file })).not.to.deep.equal(before);
    expect((await run('rebuild')).code).to.equal(0);
    expect(reportOf({ file: temporary.file })).to.deep.equal(before);
    for (const argv of [[], ['erase'], ['backup'], ['rebuild', 'x']]) {
      const { code, err } = await run(...argv);
      expect([code, err.includes('See npm run ledger -- --help')], argv.join(' ')).to.deep.equal([2, true]);
    }
  });
});

import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closeMonth } from '../../../server/invoice/close-month.js';
import { invoice, type Invoice } from '../../../server/invoice/invoice.js';
import { openForReading, openForWriting } from '../../../server/ledger/database.js';
import type { UsageEvent } from '../../../server/ledger/tables/ledger.js';
import { rebuildRollUps } from '../../../server/ledger/sums/rebuild.js';
import type { Claims } from '../../../server/domain/claims.js';
import { report } from '../../../server/reports/report.js';
import {
  readLedger,
  rowsOf,
  STORES,
  type TemporaryLedger,
  temporaryLedgerIn,
  writeLedger,
} from '../ledger/temporary-ledger.js';
import { testClaims, testDigest } from '../../support/test-claims.js';

const main = fileURLToPath(new URL('../../../server/commands/invoice/main.js', import.meta.url));
const basis = { currency: 'EUR', timeZone: 'Europe/Berlin' };
const after = Date.UTC(2025, 0, 1);

for (const store of STORES) {
  describe(`invoice in ${store}`, () => {
    let temporary: TemporaryLedger;
    let next = 0;
    beforeEach(async () => {
      temporary = await temporaryLedgerIn(store);
    });
    afterEach(() => temporary.remove());

    const recorded = async (...events: { at: string; kind?: UsageEvent['kind']; claims?: Partial<Claims> }[]) => {
      const ledger = await temporary.open(basis);
      const claims = testClaims({ advertiser: 'Green & Co', pricing: { model: 'cpm', micros: 1_001_000 } });
      for (const { at, kind = 'impression', claims: changes = {} } of events) {
        const id = testDigest(next++);
        await ledger.record({ kind, id, claims: { ...claims, ...changes }, at: Date.parse(at) });
      }
      await ledger.close();
    };
    const ask = (month: number, advertiser = 'Green & Co'): Invoice =>
      readLedger(temporary.location, (database) => invoice(database, advertiser, month, basis));
    const close = (month: number, now = after): void =>
      writeLedger(temporary.location, (database) => closeMonth(database, 'Green & Co', month, basis, now));
    const closed = (): number => {
      const database = openForReading(temporary.location);
      const [{ n } = { n: 0 }] = rowsOf<{ n: number }>(database, 'select count(*) as n from closed_months');
      database.close();
      return n;
    };
    const run = (...argv: string[]): Promise<{ code: number; out: string; err: string }> =>
      new Promise((resolve) => {
        const all = [main, '--data-dir', temporary.dataDir, ...argv];
        const settings = {
          cwd: temporary.dataDir,
          env: { ...process.env, CURRENCY: 'EUR', TIME_ZONE: 'Europe/Berlin', ...temporary.env },
        };
        execFile(process.execPath, all, settings, (error, out, err) =>
          resolve({ code: error === null ? 0 : Number(error.code), out, err }),
        );
      });

    it('has a line per creative and price, which add up to the ledger’s total to the micro', async () => {
      const cpc = { pricing: { model: 'cpc', micros: 333_333 } as const, creative: 'rake-1', campaign: null };
      await recorded(
        { at: '2024-11-01T00:00:00+01:00' },
        { at: '2024-11-30T23:59:59.999+01:00', claims: { publisher: 'Other' } },
        { at: '2024-11-10T12:00Z', claims: { pricing: { model: 'cpm', micros: 2_000_000 } } },
        { at: '2024-11-10T12:00Z', kind: 'click' },
        { at: '2024-11-10T12:00Z', kind: 'click', claims: cpc },
        { at: '2024-11-10T12:00Z', kind: 'click', claims: cpc },
        { at: '2024-11-10T12:00Z', kind: 'impression', claims: cpc },
        { at: '2024-11-10T12:00Z', claims: { test: true } },
        { at: '2024-11-10T12:00Z', claims: { advertiser: 'Blue' } },
        { at: '2024-12-01T00:00:00+01:00' },
      );
      const { lines, totalMicros, ...head } = ask(202411);
      expect(head).to.deep.include({ month: '2024-11', currency: 'EUR', timeZone: 'Europe/Berlin', closedAt: null });
      expect(head).to.deep.include({ from: '2024-10-31T23:00:00.000Z', to: '2024-11-30T23:00:00.000Z' });
      expect(lines.map((line) => Object.values(line))).to.deep.equal([
        [null, 'rake-1', 'cpc', 2, 333_333n, 666_666n, 0],
        ['Spring', 'mower-1', 'cpm', 2, 1001n, 2002n, 0],
        ['Spring', 'mower-1', 'cpm', 1, 2000n, 2000n, 0],
      ]);
      const database = openForReading(temporary.location);
      const query = { by: [], where: { advertiser: 'Green & Co' }, from: '2024-11-01', to: '2024-11-30', test: false };
      expect(report(database, query, basis).total.spendMicros).to.equal(totalMicros);
      const raw = `select sum(price_micros) as micros from events join dimension_sets using (dimension_set) where advertiser = 'Green & Co' and month = 202411`;
      expect(rowsOf(database, raw)[0]).to.deep.equal({ micros: Number(totalMicros) });
      database.close();
    });

    it('does not change once closed: late events are billed in the next open month, also after a rebuild', async () => {
      await recorded({ at: '2024-10-05T12:00Z' }, { at: '2024-11-05T12:00Z' });
      close(202410);
      close(202411);
      const [october, november] = [ask(202410), ask(202411)];
      await recorded({ at: '2024-10-31T12:00Z' }, { at: '2024-12-02T12:00Z' }, { at: '2024-11-30T12:00Z' });
      await recorded({ at: '2024-10-31T12:00Z', claims: { advertiser: 'Blue' } });
      const frozen = (): void => {
        expect(ask(202410)).to.deep.equal(october);
        expect(ask(202411)).to.deep.equal(november);
        expect(ask(202412).lines.map(({ events, late }) => [events, late])).to.deep.equal([[3, 2]]);
        expect(ask(202410, 'Blue').lines).to.have.length(1);
      };
      frozen();
      expect(october.closedAt).to.equal('2025-01-01T00:00:00.000Z');
      close(202410, after + 1);
      expect(ask(202410).closedAt).to.equal(october.closedAt);
      const database = openForWriting(temporary.location, 0);
      rebuildRollUps(database, basis.timeZone);
      database.close();
      frozen();
    });

    it('bills late events of December in January', async () => {
      await recorded({ at: '2024-12-05T12:00Z' });
      close(202412);
      await recorded({ at: '2024-12-05T12:00Z' });
      expect(ask(202501).lines.map(({ events, late }) => [events, late])).to.deep.equal([[1, 1]]);
    });

    it('cannot be closed before the month is over in the ledger’s time zone', async () => {
      await recorded({ at: '2024-11-05T12:00Z' });
      const end = Date.parse('2024-12-01T00:00:00+01:00');
      expect(() => close(202411, end - 1)).to.throw('can be closed from 2024-11-30T23:00:00.000Z on');
      close(202411, end);
      expect(ask(202411).closedAt).to.equal('2024-11-30T23:00:00.000Z');
    });

    it('is printed by the command as CSV without formulas, and as a page with escaped names', async () => {
      const claims = { campaign: '=SUM(A1)', creative: '<script>alert(1)</script>' };
      await recorded({ at: '2024-11-05T12:00Z', claims });
      const csv = await run('--advertiser', 'Green & Co', '--month', '2024-11', '--close');
      expect(csv).to.deep.include({ code: 0, err: '' });
      const [row] = parse<Record<string, string>>(csv.out, { columns: true });
      expect(row).to.include({
        campaign: "'=SUM(A1)",
        model: 'cpm',
        events: '1',
        price: '0.001001',
        amount: '0.001001',
      });
      expect(row).to.include({ currency: 'EUR', month: '2024-11', late: '0' });
      const out = join(temporary.dataDir, 'invoice.html');
      const html = await run('--advertiser', 'Green & Co', '--month', '2024-11', '--format', 'html', '--out', out);
      expect(html).to.deep.equal({ code: 0, out: '', err: '' });
      const page = readFileSync(out, 'utf8');
      expect(page)
        .to.include('Green &amp; Co')
        .and.include('&lt;script&gt;')
        .and.include('1 November 2024 – 30 November 2024 (Europe/Berlin)')
        .and.include('<td class="model">CPM, impressions</td>')
        .and.include('EUR');
      expect(page)
        .to.match(/Closed 2\d{3}-/)
        .and.not.match(/<script|https?:/);
    });

    it('is refused for an unknown advertiser, and closes nothing for it', async () => {
      await recorded({ at: '2024-11-05T12:00Z' });
      const { code, out, err } = await run('--advertiser', 'Green &Co.', '--month', '2024-11', '--close');
      expect({ code, out }).to.deep.equal({ code: 1, out: '' });
      expect(err).to.equal('there is no advertiser "Green &Co."; near it: "Green & Co"\n');
      expect(closed()).to.equal(0);
      expect((await run('--advertiser', '', '--month', '2024-11')).code).to.equal(0);
    });

    it('has a command that exits with 2 and names its help for a wrong argument, and with 1 if the month is not over', async () => {
      for (const argv of [[], ['--advertiser', 'A'], ['--advertiser', 'A', '--month', '2024-13']]) {
        const { code, err } = await run(...argv);
        expect(code, argv.join(' ')).to.equal(2);
        expect(err).to.include('See npm run invoice -- --help');
      }
      await recorded({ at: '2024-11-05T12:00Z' });
      const { code, err } = await run('--advertiser', 'Green & Co', '--month', '9998-01', '--close');
      expect(code).to.equal(1);
      expect(err).to.include('not over');
      expect(closed()).to.equal(0);
    });
  });
}

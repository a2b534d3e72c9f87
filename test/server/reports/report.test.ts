import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import type { IgnoredReason, NoFillReason } from '../../../models/schema/event-kinds.js';
import type { UsageEvent } from '../../../server/ledger/tables/ledger.js';
import type { Claims } from '../../../server/domain/claims.js';
import { asCsv, asJson } from '../../../server/reports/formats.js';
import { asTable } from '../../../server/commands/report/as-table.js';
import { report, type Report } from '../../../server/reports/report.js';
import type { ReportQuery } from '../../../server/reports/report-query.js';
import { readLedger, STORES, type TemporaryLedger, temporaryLedgerIn } from '../ledger/temporary-ledger.js';
import { testClaims, testDigest } from '../../support/test-claims.js';

const basis = { currency: 'EUR', timeZone: 'Europe/Berlin' };
const claims = testClaims({ pricing: { model: 'cpm', micros: 1_001_000 } });

for (const store of STORES) {
  describe(`report of a ledger in ${store}`, () => {
    let temporary: TemporaryLedger;
    let next = 0;
    beforeEach(async () => {
      temporary = await temporaryLedgerIn(store);
    });
    afterEach(() => temporary.remove());

    const recorded = async (
      ...events: { at: string; kind?: UsageEvent['kind']; claims?: Partial<Claims> }[]
    ): Promise<void> => {
      const ledger = await temporary.open(basis);
      for (const { at, kind = 'impression', claims: changes = {} } of events) {
        const id = testDigest(next++);
        await ledger.record({ kind, id, claims: { ...claims, ...changes }, at: Date.parse(at) });
      }
      await ledger.close();
    };
    const ask = (query: Partial<ReportQuery> = {}): Report =>
      readLedger(temporary.location, (database) => report(database, { by: ['day'], test: false, ...query }, basis));

    it('assigns events to days of the ledger’s time zone, or of the requested one', async () => {
      await recorded(
        { at: '2026-11-20T22:59:59.999Z' },
        { at: '2026-11-20T23:00:00Z' },
        { at: '2026-11-21T04:15:00Z' },
      );
      const days = (query: Partial<ReportQuery>) =>
        ask(query).rows.map(({ group, impressions }) => [group.day, impressions]);
      expect(days({})).to.deep.equal([
        ['2026-11-20', 1],
        ['2026-11-21', 2],
      ]);
      expect(days({ timeZone: 'UTC' })).to.deep.equal([
        ['2026-11-20', 2],
        ['2026-11-21', 1],
      ]);
      expect(days({ timeZone: 'America/New_York' })).to.deep.equal([['2026-11-20', 3]]);
      expect(ask().timeZone).to.equal('Europe/Berlin');
    });

    it('distinguishes the two hours that the end of summer time repeats', async () => {
      await recorded({ at: '2026-10-25T00:30:00Z' }, { at: '2026-10-25T01:30:00Z' }, { at: '2026-10-25T01:45:00Z' });
      expect(ask({ by: ['hour'] }).rows.map(({ group, impressions }) => [group.hour, impressions])).to.deep.equal([
        ['2026-10-25T02:00+02:00', 1],
        ['2026-10-25T02:00+01:00', 2],
      ]);
    });

    it('distinguishes campaigns with the same name by their advertiser', async () => {
      const at = '2026-11-21T12:00Z';
      const none = ['Green', 'Blue'].map((advertiser) => ({ at, claims: { advertiser, campaign: null } }));
      await recorded({ at }, { at }, { at, claims: { advertiser: 'Blue' } }, ...none);
      const asked = ask({ by: ['day', 'campaign'] });
      expect(asked.by).to.deep.equal(['day', 'advertiser', 'campaign']);
      expect(asked.rows.map(({ group, impressions }) => [group.advertiser, group.campaign, impressions])).to.deep.equal(
        [
          [null, null, 2],
          ['Blue', 'Spring', 1],
          ['Green', 'Spring', 2],
        ],
      );
    });

    it('lists reasons that only a newer node knows under their own names', async () => {
      const at = Date.parse('2026-11-21T12:00Z');
      const ledger = await temporary.open(basis);
      const reason = 'sooner-or-later' as IgnoredReason & NoFillReason;
      ledger.ignore({ kind: 'click', reason, claims, at });
      ledger.countDecision({ publisher: claims.publisher, test: false, result: { filled: false, reason }, at });
      await ledger.close();
      const { total } = ask();
      expect([total.ignored, total.noFills].map((times) => (times as Record<string, number>)[reason])).to.deep.equal([
        1, 1,
      ]);
      expect(JSON.stringify(asJson(ask()))).to.include('"sooner-or-later":1');
    });

    it('counts only events and decisions with a given name', async () => {
      const at = '2026-11-21T12:00Z';
      await recorded({ at }, { at, claims: { creative: 'mower-2' } }, { at, claims: { campaign: null } });
      const impressions = (where: ReportQuery['where']) => ask({ where }).total.impressions;
      expect(impressions({ creative: 'mower-1' })).to.equal(2);
      expect(impressions({ creative: 'mower-1', campaign: 'Spring' })).to.equal(1);
      expect(impressions({ campaign: '' })).to.equal(1);
      expect(impressions({ publisher: 'nobody' })).to.equal(0);
    });

    it('reads a bare date as the whole day, and a date-time as its quarter of an hour', async () => {
      await recorded(
        ...['2026-11-20T22:50Z', '2026-11-20T23:00Z', '2026-11-21T22:59Z', '2026-11-21T23:00Z'].map((at) => ({ at })),
      );
      const impressions = (from?: string, to?: string) => ask({ from, to }).total.impressions;
      expect(impressions('2026-11-21', '2026-11-21')).to.equal(2);
      expect(impressions('2026-11-21')).to.equal(3);
      expect(impressions(undefined, '2026-11-20')).to.equal(1);
      expect(impressions('2026-11-20T23:00Z', '2026-11-21T22:45:00Z')).to.equal(1);
      expect(impressions('2026-11-20T23:45:00+01:00', '2026-11-22T00:15:00+01:00')).to.equal(4);
      expect(ask({ from: '2026-11-21', to: '2026-11-21' })).to.deep.include({
        from: '2026-11-20T23:00:00.000Z',
        to: '2026-11-21T23:00:00.000Z',
      });
    });

    it('refuses an invalid period or time zone, and names it', () => {
      const refusals: [Partial<ReportQuery>, string][] = [
        [{ from: '2026-02-30' }, '"from" must be a date'],
        [{ to: 'yesterday' }, '"to" must be a date'],
        [{ from: '2026-11-21T10:00' }, '"from" must be a date'],
        [{ from: '2026-02-30T10:00Z' }, '"from" must be a date'],
        [{ from: '2026-11-21T10:05Z' }, 'quarter of an hour'],
        [{ from: '2026-11-22', to: '2026-11-21' }, 'must be after'],
        [{ timeZone: 'Mars/Olympus' }, 'Mars/Olympus'],
        [{ timeZone: '+05:17' }, '+05:17'],
      ];
      for (const [query, message] of refusals) expect(() => ask(query), JSON.stringify(query)).to.throw(message);
    });

    it('keeps test traffic separate, and states how much there is', async () => {
      await recorded({ at: '2026-11-21T10:00Z' }, { at: '2026-11-21T10:00Z', claims: { test: true } });
      expect(ask().total).to.deep.include({ impressions: 1, spendMicros: 1001n });
      expect(ask({ test: true }).total).to.deep.include({ impressions: 1, spendMicros: 0n });
      expect(asTable(ask())).to.include('1 decisions and events of test keys are left out (--test shows them).');
      expect(asTable(ask({ test: true }))).to.include('Test keys only: nothing here is billed.');
    });

    it('counts fills and no-fills by the language of the conversation, each once', async () => {
      const ledger = await temporary.open(basis);
      const at = Date.parse('2026-11-21T10:00Z');
      const ad = { filled: true, creative: 'boots', campaign: null, advertiser: null } as const;
      const none = { filled: false, reason: 'below-floor' } as const;
      for (const [result, language, test] of [
        [ad, 'de', false],
        [ad, 'de', false],
        [none, 'de', false],
        [none, 'other', false],
        [none, undefined, false],
        [ad, 'en', true],
      ] as const) {
        ledger.countDecision({ publisher: 'p', test, result, at, ...(language === undefined ? {} : { language }) });
      }
      await ledger.close();
      const languages = { de: { fills: 2, noFills: 1 }, other: { fills: 0, noFills: 1 } };
      expect(ask().total).to.deep.include({ decisions: 5, fills: 2, languages });
      expect(ask().leftOut).to.equal(1);
      expect(asJson(ask({ by: ['hour'] })).rows[0]).to.deep.include({ decisions: 5, languages });
      expect(
        ask({ by: ['creative'] }).rows.map(({ group, languages: counted }) => [group.creative, counted]),
      ).to.deep.equal([
        [null, { de: { fills: 0, noFills: 1 }, other: { fills: 0, noFills: 1 } }],
        ['boots', { de: { fills: 2, noFills: 0 } }],
      ]);
      expect(asTable(ask())).to.include('\nwith an ad, by language: de 2 of 3, other 0 of 1\n');
      expect(ask({ test: true }).total).to.deep.include({ languages: { en: { fills: 1, noFills: 0 } } });
    });

    it('has rates and exact amounts, and no rate if nothing was counted', async () => {
      const at = '2026-11-21T10:00Z';
      await recorded(...Array.from({ length: 3 }, () => ({ at })), { at, kind: 'click' });
      await recorded({ at, claims: { pricing: { model: 'cpm', micros: 1_000_000_000_000 } } });
      const [row] = asJson(ask()).rows;
      expect(row).to.deep.include({ day: '2026-11-21', impressions: 4, clicks: 1, ctr: 0.25, fillRate: null });
      expect(row).to.deep.include({ spend: '1000.003003', ecpm: '250000.750750' });
    });

    it('adds up money beyond the precision of a double', async () => {
      const pricing = { model: 'cpc', micros: 999_999_999_999 } as const;
      const clicks = Array.from({ length: 10_000 }, () => ({
        at: '2026-11-21T10:00Z',
        kind: 'click' as const,
        claims: { pricing },
      }));
      const ledger = await temporary.open(basis);
      await Promise.all(
        clicks.map(({ at, kind }, number) =>
          ledger.record({
            kind,
            id: testDigest(number),
            claims: { ...claims, pricing },
            at: Date.parse(at),
          }),
        ),
      );
      await ledger.close();
      expect(asJson(ask()).total.spend).to.equal('9999999999.990000');
    });

    it('is safe as CSV: no cell is a formula, and every name is preserved', async () => {
      const names = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', 'a "quoted", name', 'two\nlines', 'Grün 🌱'];
      await recorded(...names.map((publisher) => ({ at: '2026-11-21T10:00Z', claims: { publisher } })));
      const rows = parse<Record<string, string>>(asCsv(ask({ by: ['publisher', 'creative'] })), { columns: true });
      expect(rows.map((row) => row['publisher'])).to.have.members(
        names.map((name) => (/^[=+\-@\t\r]/.test(name) ? `'${name}` : name)),
      );
      for (const cell of rows.flatMap((row) => Object.values(row))) expect(cell).not.to.match(/^[=+\-@\t\r]/);
      expect(rows[0]).to.include({
        spend: '0.001001',
        currency: 'EUR',
        impressions: '1',
        'ignored.repeated': '0',
        fillRate: '',
      });
    });

    it('prints no control characters in names', async () => {
      await recorded({ at: '2026-11-21T10:00Z', claims: { creative: '\u001b[2Jgone\u202e' } });
      const table = asTable(ask({ by: ['creative'] }));
      expect(table).to.include('\ufffd[2Jgone\ufffd');
      expect(table).not.to.include('\u001b');
    });

    it('is one row as CSV without dimensions: the total', async () => {
      await recorded({ at: '2026-11-21T10:00Z' }, { at: '2026-11-22T10:00Z' });
      const rows = parse<Record<string, string>>(asCsv(ask({ by: [] })), { columns: true });
      expect(rows).to.have.length(1);
      expect(rows[0]).to.include({ impressions: '2', spend: '0.002002' });
    });

    it('states that there is nothing to report', () => {
      expect(asTable(ask())).to.include('No decisions or events in this period.').and.include('Europe/Berlin');
      expect(asJson(ask()).rows).to.deep.equal([]);
      expect(parse(asCsv(ask()))).to.have.length(1);
    });
  });
}

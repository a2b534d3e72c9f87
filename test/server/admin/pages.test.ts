import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import path from 'node:path';
import { asCsv } from '../../../server/reports/formats.js';
import { report } from '../../../server/reports/report.js';
import type { ReportQuery } from '../../../server/reports/report-query.js';
import { readLedger } from '../ledger/temporary-ledger.js';
import { fortnight, HOSTILE, type Operator, ROWS, startOperator } from './operator.js';

const now = Date.parse('2026-11-21T20:00:00Z');
const PLACES = [
  '/',
  '/reports',
  '/reports?by=creative,publisher&sort=-spend',
  '/creatives',
  '/publishers',
  '/campaigns',
  '/invoices',
  '/snapshots',
  '/keys',
  '/explain',
  '/system',
  '/audit',
];
const encoded = encodeURIComponent(HOSTILE);

/** Returns the text of the cells of a page's first table: its head and its rows. */
function tableOf(page: string): string[][] {
  const [table = ''] = /<table>[^]*?<\/table>/.exec(page) ?? [];
  return [...table.matchAll(/<tr[^>]*>([^]*?)<\/tr>/g)].map(([, row]) =>
    [...row!.matchAll(/<t[hd][^>]*>([^]*?)<\/t[hd]>/g)].map(([, cell]) => textOf(cell!)),
  );
}

function rate({ fills, noFills }: { readonly fills: number; readonly noFills: number }): string {
  return `${((100 * fills) / (fills + noFills)).toFixed(1)} %`;
}

function textOf(html: string): string {
  const named: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return html
    .replace(/<[^>]+>/g, '')
    .replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => named[name]!)
    .trim();
}

describe('pages of the dashboard', () => {
  describe('of an installation without traffic', () => {
    let operator: Operator;
    before(async () => {
      operator = await startOperator();
      await operator.signIn();
    });
    after(() => operator.close());

    for (const place of [...PLACES, '/publisher?name=Nobody', '/reports?test=1']) {
      it(`include ${place}, which says that there is nothing to show`, async () => {
        expect(await operator.page(`/admin${place}`)).to.match(
          /Nothing (happened|was decided|was changed)|No (catalogue|publisher|campaigns|invoices|snapshot|keys)|none|Every request got an ad/,
        );
      });
    }

    it('show test traffic as long as there is no other, and say so', async () => {
      const own = await startOperator({
        past: fortnight(now).map((each) => ({ ...each, claims: { ...each.claims, test: true } })),
        clock: () => now,
      });
      try {
        await own.signIn();
        const page = await own.page('/admin/');
        expect(page).to.include('There is no live traffic yet').and.include('<svg');
        expect(await own.page('/admin/?test=0')).to.include('Nothing happened in this period');
      } finally {
        await own.close();
      }
    });
  });

  describe('of an installation with traffic', () => {
    let operator: Operator;
    before(async () => {
      const tests = fortnight(now)
        .slice(0, 5)
        .map((each) => ({ ...each, claims: { ...each.claims, test: true } }));
      operator = await startOperator({ feeds: [ROWS], past: [...fortnight(now), ...tests], clock: () => now });
      await operator.signIn();
    });
    after(() => operator.close());

    const ask = (query: Partial<ReportQuery>) =>
      readLedger({ file: path.join(operator.dataDir, 'ledger.sqlite') }, (database) => {
        const whole: ReportQuery = { by: ['day'], from: '2026-10-23', to: '2026-11-21', test: false, ...query };
        return report(database, whole, { currency: 'USD', timeZone: 'UTC' });
      });

    for (const place of [
      ...PLACES,
      '/creative?id=boots',
      `/publisher?name=${encoded}`,
      `/advertiser?name=${encoded}`,
      '/reports?by=hour&from=2026-11-21&to=2026-11-21',
    ]) {
      it(`include ${place}, which runs no script and may load nothing from other origins`, async () => {
        const answer = await operator.get(`/admin${place}`);
        const page = await answer.text();
        expect(answer.status, page).to.equal(200);
        expect(answer.headers.get('content-security-policy')).to.equal(
          "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
        );
        expect(answer.headers.get('cache-control')).to.equal('no-store');
        expect(answer.headers.get('access-control-allow-origin')).to.equal(null);
        expect(page).to.not.match(/<script|\sstyle=|<style|\son\w+=|undefined|NaN|\[object/);
      });
    }

    it('escape the names that feeds and keys contain', async () => {
      for (const place of [
        '/',
        '/publishers',
        '/creatives',
        '/creative?id=hostile',
        `/publisher?name=${encoded}`,
        `/reports?by=publisher&publisher=${encoded}`,
      ]) {
        const page = await operator.page(`/admin${place}`);
        expect(page, place).to.include('&lt;script&gt;').and.not.include('<script');
      }
      expect(await operator.page('/admin/reports?by=publisher&publisher="><b>')).to.not.include('"><b>');
    });

    it('show the report’s numbers', async () => {
      const { total } = ask({ by: [] });
      const page = await operator.page('/admin/');
      const figures = Object.fromEntries(
        [...page.matchAll(/<dt>([^<]+)<\/dt>\s*<dd>\s*<span class="value">([^<]+)</g)].map(([, name, value]) => [
          name,
          value,
        ]),
      );
      expect(figures).to.include({
        Impressions: String(total.impressions),
        Clicks: String(total.clicks),
        CTR: `${(100 * total.ctr!).toFixed(2)} %`,
        'Fill rate': `${(100 * total.fillRate!).toFixed(1)} %`,
        Spend: (Number(total.spendMicros) / 1e6).toFixed(2),
      });
      expect(total.impressions).to.be.greaterThan(50);
    });

    it('show requests and fill rates by language, in total and per publisher', async () => {
      const { languages } = ask({ by: [] }).total;
      const [de, en] = [languages['de']!, languages['en']!];
      expect(de.noFills).to.be.greaterThan(0);
      for (const place of ['/', '/publisher?name=Chat']) {
        const page = await operator.page(`/admin${place}`);
        const [, card = ''] = /<h2>Requests by language<\/h2>([^]*?)<\/section>/.exec(page) ?? [];
        expect(textOf(card)).to.match(/^English en\s+\d+ \d+\.\d % filled[^]+German de/);
        if (place !== '/') continue;
        expect(textOf(card)).to.include(`${en.fills + en.noFills} ${rate(en)} filled`);
        expect(textOf(card)).to.include(`${de.fills + de.noFills} ${rate(de)} filled`);
      }
    });

    for (const [question, query] of [
      ['by=day', { by: ['day'] }],
      ['by=creative,publisher', { by: ['publisher', 'creative'] }],
      ['by=campaign&from=2026-11-15&to=2026-11-18', { by: ['campaign'], from: '2026-11-15', to: '2026-11-18' }],
      ['by=campaign&sort=advertiser', { by: ['campaign'] }],
      ['by=publisher&creative=tea', { by: ['publisher'], where: { creative: 'tea' } }],
      ['by=publisher&test=1', { by: ['publisher'], test: true }],
    ] as [string, Partial<ReportQuery>][]) {
      it(`show the report’s figures in the table and the CSV of ${question}`, async () => {
        const page = await operator.page(`/admin/reports?${question}`);
        const href = textOf(/href="([^"]*reports\.csv[^"]*)"/.exec(page)![1]!);
        const csv = await (await operator.get(href)).text();
        const expected = ask(query);
        expect(csv.split('\r\n').toSorted()).to.deep.equal(asCsv(expected).split('\r\n').toSorted());

        const rows = parse<Record<string, string>>(csv, { columns: true });
        const [, ...shown] = tableOf(page);
        expect(shown.length).to.equal(rows.length + 1);
        const column = expected.by.length;
        for (const [place, row] of rows.entries()) {
          const cells = shown[place]!;
          expect(cells[column]).to.equal(row['decisions']);
          expect(cells[column + 3]).to.equal(row['impressions']);
          expect(Number(cells[column + 8])).to.equal(Number(row['spend']));
        }
        expect(Number(shown.at(-1)![column + 8])).to.equal(Number(expected.total.spendMicros) / 1e6);
      });
    }

    it('sort a table by any column in both directions, as its address says', async () => {
      const columns = tableOf(await operator.page('/admin/reports?by=day'))[0]!;
      expect(columns.map((name) => name.replace(/ [↑↓]/, ''))).to.include.members([
        'Day',
        'Impressions',
        'Spend',
        'eCPM',
      ]);
      for (const [sort, place] of [
        ['impressions', 4],
        ['spend', 9],
        ['ctr', 7],
        ['day', 0],
      ] as const) {
        const read = async (text: string) => {
          const rows = tableOf(await operator.page(`/admin/reports?by=day&sort=${text}`)).slice(1, -1);
          return rows.map((cells) => cells[place]!).filter((cell) => cell !== '–');
        };
        const order = (values: string[]) =>
          values.toSorted((one, other) =>
            sort === 'day' ? (one < other ? -1 : 1) : Number.parseFloat(one) - Number.parseFloat(other),
          );
        const up = await read(sort);
        expect(up, sort).to.deep.equal(order(up));
        const down = await read(`-${sort}`);
        expect(down.toReversed()).to.deep.equal(order(down));
      }
    });

    it('compare the finished days of a period with as many days before, and never a part of a day', async () => {
      const changesOf = (page: string) =>
        Object.fromEntries(
          [...page.matchAll(/<dt>([^<]+)<\/dt>\s*<dd>([^]*?)<\/dd>/g)].flatMap(([, name = '', figure = '']) => {
            const [, change] = /<span class="change \w+">([^<]+)</.exec(figure) ?? [];
            return change === undefined ? [] : [[name, change]];
          }),
        );
      const impressions = (from: string, to: string) => ask({ by: [], from, to }).total.impressions;
      const [one, other] = [impressions('2026-11-18', '2026-11-20'), impressions('2026-11-15', '2026-11-17')];
      const change = (100 * (one - other)) / other;
      const shown = `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(Math.abs(change) < 10 ? 1 : 0)} %`;
      for (const to of ['2026-11-20', '2026-11-21'])
        expect(changesOf(await operator.page(`/admin/?from=2026-11-18&to=${to}`)), to).to.include({
          Impressions: shown,
        });
      const explained = 'Changes compare the finished days of the period with as many days before.';
      expect(await operator.page('/admin/?from=2026-11-18&to=2026-11-20')).to.include(explained);
      const today = await operator.page('/admin/?from=2026-11-21&to=2026-11-21');
      expect(changesOf(today)).to.deep.equal({});
      expect(today).to.not.include(explained);
      // A day without impressions has no rate, so it did not fall from the day before.
      const quiet = changesOf(await operator.page('/admin/?from=2026-11-08&to=2026-11-08'));
      expect(quiet).to.not.have.any.keys('CTR', 'eCPM');
    });

    it('keep every dimension of a report in links to other periods and to test traffic', async () => {
      const page = await operator.page('/admin/reports?by=publisher&by=creative&from=2026-11-20&to=2026-11-21');
      const links = [...page.matchAll(/href="([^"]*)"/g)].map(
        ([, href = '']) => new URLSearchParams(href.replaceAll('&amp;', '&').split('?')[1] ?? ''),
      );
      const others = links.filter((link) => link.get('from') === '2026-11-15' || link.get('test') === '1');
      expect(others.map((link) => link.get('test') ?? link.get('from'))).to.include.members(['1', '2026-11-15']);
      for (const link of others) expect(link.get('by')).to.equal('publisher,creative');
    });

    it('plot only the last days of a very long period, and say so', async () => {
      const page = await operator.page('/admin/?from=2024-01-01&to=2026-11-21');
      expect(page).to.include('Impressions, last 400 days');
      expect(await operator.page('/admin/')).to.not.include('last 400 days');
    });

    it('show test traffic separately, with a switch', async () => {
      const [live, tests] = [ask({ by: [] }), ask({ by: [], test: true })];
      expect(tests.total.decisions).to.equal(5);
      const page = await operator.page('/admin/reports?by=publisher');
      expect(page).to.include('Show them');
      const shownTotal = async (question: string) =>
        tableOf(await operator.page(`/admin/reports?by=publisher${question}`)).at(-1)![1];
      expect(await shownTotal('')).to.equal(String(live.total.decisions));
      expect(await shownTotal('&test=1')).to.equal('5');
    });

    it('report what is wrong with a query, and what does not exist', async () => {
      for (const [place, status, fault] of [
        ['/reports?from=yesterday', 400, /&quot;from&quot; must be a date/],
        ['/reports?from=2026-02-31', 400, /must be a date/],
        ['/reports?by=colour', 400, /<h1>Not understood<[^]*must be one of hour, day/],
        ['/creative?id=nothing', 404, /no such creative/],
        ['/nothing', 404, /nothing at this address/],
        ['/assets/..%2fviews%2flayout.eta', 404, /nothing at this/],
      ] as [string, number, RegExp][]) {
        const answer = await operator.get(`/admin${place}`);
        expect(answer.status, place).to.equal(status);
        expect(answer.headers.get('content-type')).to.include('text/html');
        expect(await answer.text())
          .to.match(fault)
          .and.not.include('<script');
      }
      expect((await operator.get('/admin')).headers.get('location')).to.equal('/admin/');
    });

    it('show the settings, but no secret', async () => {
      const page = await operator.page('/admin/system');
      expect(page).to.include('ADMIN_TOKEN').and.include('adjacent-small').and.not.include('a-token-of-the-tests');
    });
  });
});

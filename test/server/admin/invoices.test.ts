import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { closeMonth } from '../../../server/invoice/close-month.js';
import { openForWriting } from '../../../server/ledger/database.js';
import { eventually } from '../../support/eventually.js';
import { Installation } from '../../support/installation.js';
import { testClaims, testDigest } from '../../support/test-claims.js';
import { STORES, temporaryLedgerIn, type TemporaryLedger } from '../ledger/temporary-ledger.js';
import { HOSTILE, type Operator, startOperator } from './operator.js';

const now = Date.parse('2026-11-21T20:00:00Z');
const basis = { currency: 'USD', timeZone: 'UTC' };
const COMMAND = 'server/commands/invoice/main.js';
const LONG = Array.from({ length: 60 }, (_, number) => `Shop ${number}`);

for (const store of STORES) {
  describe(`the pages of invoices in ${store}`, function () {
    this.timeout(120_000);
    let temporary: TemporaryLedger;
    let operator: Operator;
    let commands: Installation;
    const start = async () => {
      operator = await startOperator({
        settings: { DATA_DIR: temporary.dataDir, ...temporary.env },
        clock: () => now,
      });
      await operator.signIn();
    };
    before(async () => {
      temporary = await temporaryLedgerIn(store);
      const ledger = await temporary.open({ clock: () => now });
      let next = 0;
      const billed = (advertiser: string | null, at: string) => {
        const claims = testClaims({ advertiser, pricing: { model: 'cpm', micros: 12_500_000_000 } });
        return ledger.record({ kind: 'impression', id: testDigest(next++), claims, at: Date.parse(at) });
      };
      const events = [
        ...['2026-09-05', '2026-10-05', '2026-11-05'].map((at) => billed('Acme', at)),
        ...[HOSTILE, null, ...LONG].map((advertiser) => billed(advertiser, '2026-10-07')),
      ];
      await Promise.all(events);
      await ledger.close();
      const database = openForWriting(temporary.location, 1000);
      for (const advertiser of ['Acme', HOSTILE]) closeMonth(database, advertiser, 202610, basis, now);
      database.close();
      await start();
      commands = new Installation(temporary.dataDir, temporary.env);
    });
    after(async () => {
      await operator.close();
      await temporary.remove();
    });

    /** Returns the texts of each row's cells. */
    const rowsOf = async (query: string): Promise<string[][]> => {
      const [, body = ''] = /<tbody>([^]*?)<\/tbody>/.exec(await operator.page(`/admin/invoices${query}`)) ?? [];
      return [...body.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row]) =>
        [...row!.matchAll(/<td[^>]*>([^]*?)<\/td>/g)].map(([, cell]) =>
          cell!
            .replaceAll(/<[^>]+>/g, ' ')
            .replaceAll(/\s+/g, ' ')
            .trim(),
        ),
      );
    };
    const printed = (advertiser: string, month: string, format: string) =>
      commands.run(COMMAND, '--advertiser', advertiser, '--month', month, '--format', format);
    const addressOf = (advertiser: string, month: string, more = {}) =>
      `/admin/invoice?${new URLSearchParams({ advertiser, month, ...more }).toString()}`;

    it('list the last finished month’s, fifty a page, and say which are closed', async () => {
      const page = await operator.page('/admin/invoices');
      expect(page).to.include('<option selected>2026-10</option>').and.include('63 advertisers, 2 closed');
      expect(page).to.include('href="/admin/invoices?month=2026-10&amp;page=2" rel="next"');
      const [none, hostile, acme] = await rowsOf('');
      expect(none!.slice(0, 5)).to.deep.equal([
        '– (none named)',
        '2026-10',
        'not closed the month is over',
        '–',
        '12.50 as of now',
      ]);
      expect(hostile![2]).to.equal('closed 2026-11-21 20:00');
      expect(acme!.slice(0, 5)).to.deep.equal(['Acme', '2026-10', 'closed 2026-11-21 20:00', '000001', '12.50']);
      expect(await rowsOf('?month=2026-10&page=2')).to.have.length(13);
      expect(await rowsOf('?month=2026-10&page=99')).to.have.length(13);
      expect((await rowsOf('?month=2026-10&q=shop+5')).map(([name]) => name)).to.deep.equal([
        'Shop 5',
        ...Array.from({ length: 10 }, (_, number) => `Shop 5${number}`),
      ]);
    });

    it('list every month of one advertiser, and which of them are not over', async () => {
      const rows = await rowsOf('?advertiser=Acme');
      expect(rows.map(([, month, state]) => [month, state])).to.deep.equal([
        ['2026-11', 'not closed the month is not over'],
        ['2026-10', 'closed 2026-11-21 20:00'],
        ['2026-09', 'not closed the month is over'],
      ]);
      expect((await rowsOf('?none=advertiser')).map(([, month]) => month)).to.deep.equal(['2026-10']);
      expect(await operator.page('/admin/invoices?advertiser=Nobody')).to.include('Nothing was billed so far');
      expect(await operator.page('/admin/invoices?month=2020-01')).to.include('Nothing was billed in this month');
    });

    it('escape names, and link to documents that exist', async () => {
      const page = await operator.page(`/admin/invoices?q=${encodeURIComponent(HOSTILE)}`);
      expect(page).to.include('&lt;script&gt;').and.not.include('<script');
      const links = [...page.matchAll(/href="(\/admin\/invoice\?[^"]+)"/g)].map(([, href]) =>
        href!.replaceAll('&amp;', '&'),
      );
      expect(links).to.have.length(4);
      for (const link of links) {
        const answer = await operator.get(link);
        expect(answer.status, link).to.equal(200);
        expect(answer.headers.get('content-disposition') ?? 'inline').to.match(
          /^inline$|^attachment; filename="invoice 2026-10 script alert/,
        );
        if (link.endsWith('html') || !link.includes('format')) expect(await answer.text()).to.not.include('<script');
      }
    });

    for (const format of ['csv', 'html', 'json'])
      it(`send ${format} byte for byte as the command prints it, closed or not`, async () => {
        for (const [advertiser, month] of [
          ['Acme', '2026-10'],
          [HOSTILE, '2026-10'],
          ['Acme', '2026-11'],
          ['', '2026-10'],
        ] as const) {
          const answer = await operator.get(addressOf(advertiser, month, { format }));
          expect(answer.headers.get('content-disposition')).to.match(
            month === '2026-11' ? /\(not closed\)/ : /invoice/,
          );
          expect(answer.headers.get('cache-control')).to.equal('no-store');
          expect(await answer.text()).to.equal(await printed(advertiser, month, format));
        }
      });

    it('show a document with its own style alone allowed', async () => {
      const answer = await operator.get(addressOf('Acme', '2026-10'));
      const page = await answer.text();
      const [, style = ''] = /<style>([^]*)<\/style>/.exec(page) ?? [];
      const digest = createHash('sha256').update(style).digest('base64');
      expect(answer.headers.get('content-security-policy')).to.equal(
        `default-src 'none'; style-src 'sha256-${digest}'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
      );
      expect(page).to.include('Invoice 000001');
      expect(await (await operator.get(addressOf('Acme', '2026-11'))).text()).to.include('Open: not final');
    });

    it('have seller, buyer and tax while a month is open, and leave closed ones as they were', async () => {
      const before = await printed('Acme', '2026-10', 'html');
      const party = ['--address', 'Hafenstr. 1', '--tax-rate', '19'];
      const billing = 'server/commands/billing/main.js';
      await commands.run(billing, 'seller', '--name', 'Nordlicht', ...party);
      await commands.run(billing, 'advertiser', 'Acme', '--name', 'Acme Ltd', '--address', '1 High Street');
      await eventually(async () => expect((await rowsOf('?advertiser=Acme'))[0]?.[4]).to.include('14.88'));
      expect((await rowsOf('?advertiser=Acme')).map((cells) => cells[4])).to.deep.equal([
        '14.88 as of now',
        '12.50',
        '14.88 as of now',
      ]);
      const page = await (await operator.get(addressOf('Acme', '2026-11'))).text();
      expect(page).to.equal(await printed('Acme', '2026-11', 'html'));
      for (const text of ['Nordlicht', 'Acme Ltd', 'Tax 19 %', '2.38']) expect(page).to.include(text);
      expect(await (await operator.get(addressOf('Acme', '2026-10'))).text()).to.equal(before);
    });

    it('refuse what does not exist, and everyone without a session', async () => {
      for (const [place, status] of [
        [addressOf('Acme', '2026-08'), 404],
        [addressOf('acme', '2026-10', { format: 'json' }), 404],
        [addressOf('Acme', '2026-13'), 400],
        [addressOf('Acme', ''), 400],
        [addressOf('Acme', '2026-10', { format: 'pdf' }), 400],
        ['/admin/invoices?month=202610', 400],
        // PostgreSQL stores no such name, and closes the connection on a query with one.
        ['/admin/invoices?advertiser=a%00b', 400],
        [addressOf('a\0b', '2026-10'), 400],
        ...['advertiser?name', 'publisher?name', 'creative?id', 'reports?campaign'].map(
          (page) => [`/admin/${page}=a%00b`, 400] as const,
        ),
      ] as const)
        expect((await operator.get(place)).status, place).to.equal(status);
      for (const place of [addressOf('Acme', '2026-10', { format: 'csv' }), '/admin/invoices']) {
        const stranger = await operator.get(place, { cookie: '' });
        expect([stranger.status, await stranger.text()]).to.deep.equal([303, '']);
      }
      expect((await operator.send(addressOf('Acme', '2026-11'), { close: '1' })).status).to.equal(405);
    });

    // Nodes have billing details in the database.
    if (store === 'SQLite')
      it('show closed months while billing.json is damaged, and the server starts with it', async () => {
        const before = await printed('Acme', '2026-10', 'csv');
        const file = path.join(temporary.dataDir, 'billing.json');
        const good = readFileSync(file);
        writeFileSync(file, '{"version":1,');
        const faults = () => operator.logged.filter(({ msg }) => msg === 'billing details are gone or cannot be read');
        await eventually(() => expect(faults()).to.have.length(1));
        await operator.close();
        await start();
        expect(faults().map((line) => [line['file'], line['level']])).to.deep.equal([[file, 50]]);
        expect(await printed('Acme', '2026-10', 'csv')).to.equal(before);
        expect(await (await operator.get(addressOf('Acme', '2026-10', { format: 'csv' }))).text()).to.equal(before);
        expect((await operator.get(addressOf('Acme', '2026-11'))).status).to.equal(500);
        const refused = await commands.attempt(COMMAND, '--advertiser', 'Acme', '--month', '2026-11');
        expect([refused.code, refused.stdout]).to.deep.equal([1, '']);
        expect(refused.stderr).to.include('billing.json cannot be used');
        writeFileSync(file, good);
        expect((await operator.get(addressOf('Acme', '2026-11'))).status).to.equal(200);
      });
  });
}

import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { join } from 'node:path';
import { sha256 } from '../../../platform/text/sha256.js';
import { checkInvoices } from '../../../server/invoice/check-invoices.js';
import { closeMonth } from '../../../server/invoice/close-month.js';
import type { Parties } from '../../../server/invoice/billing/billing-file.js';
import type { Format } from '../../../server/invoice/formats.js';
import { readStoredInvoice } from '../../../server/invoice/stored-invoices.js';
import { voidEvents } from '../../../server/ledger/corrections/void-events.js';
import { Installation } from '../../support/installation.js';
import { testClaims, testDigest } from '../../support/test-claims.js';
import { HOSTILE } from '../admin/operator.js';
import {
  execute,
  readLedger,
  STORES,
  type TemporaryLedger,
  temporaryLedgerIn,
  writeLedger,
} from '../ledger/temporary-ledger.js';

const basis = { currency: 'EUR', timeZone: 'Europe/Berlin' };
const INVOICE = 'server/commands/invoice/main.js';
const BILLING = 'server/commands/billing/main.js';
/** Late in the evening of the last day of the year in UTC, and the first of the next in Berlin. */
const CLOSED = Date.parse('2024-12-31T23:30:00Z');

const SELLER = {
  name: 'Nordlicht Verlag GmbH',
  address: ['Hafenstr. 1', '20459 Hamburg'],
  taxNumber: 'VAT ID DE123456789',
  taxName: 'VAT',
  taxRate: '19',
  payment: ['IBAN DE02 1203 0000 0000 2020 51'],
  dueDays: 14,
  note: ['Registered in Hamburg'],
};
const BUYER = { advertiser: 'Acme', name: 'Acme Ltd', address: ['1 High Street', 'Leeds LS1 1AA'] };
const ABROAD = { ...BUYER, taxNumber: 'VAT ID GB1', taxRate: '0', note: ['Reverse charge'] };

for (const store of STORES) {
  describe(`an invoice with billing details in ${store}`, () => {
    let temporary: TemporaryLedger;
    let commands: Installation;
    beforeEach(async () => {
      temporary = await temporaryLedgerIn(store);
      commands = new Installation(temporary.dataDir, {
        CURRENCY: 'EUR',
        TIME_ZONE: 'Europe/Berlin',
        ...temporary.env,
      });
      const ledger = await temporary.open({ ...basis, clock: () => CLOSED });
      const claims = testClaims({ advertiser: 'Acme', pricing: { model: 'cpc', micros: 3_335_000 } });
      const months = ['2024-10-05', '2024-10-06', '2024-11-05', '2024-11-06', '2024-11-07'];
      for (const [at, day] of months.entries())
        await ledger.record({ kind: 'click', id: testDigest(at), claims, at: Date.parse(day) });
      await ledger.close();
    });
    afterEach(() => temporary.remove());

    const close = (month: number, parties: Parties) =>
      writeLedger(temporary.location, (database) => closeMonth(database, 'Acme', month, basis, CLOSED, parties));
    const stored = (month: number, format: Format): string =>
      readLedger(temporary.location, (database) => readStoredInvoice(database, 'Acme', month, format))!;
    const read = (month: number) => JSON.parse(stored(month, 'json')) as Record<string, unknown>;
    const rows = (month: number) => parse<Record<string, string>>(stored(month, 'csv'), { columns: true });
    const checked = () => readLedger(temporary.location, (database) => checkInvoices(database, basis));
    const wanted = ['--advertiser', 'Acme', '--month', '2024-11'];

    it('has seller, buyer, dates, tax and payment in every format', () => {
      close(202411, { seller: SELLER, buyer: BUYER });
      expect(read(202411)).to.deep.include({
        issued: '2025-01-01',
        due: '2025-01-15',
        seller: { name: SELLER.name, address: SELLER.address, taxNumber: SELLER.taxNumber },
        buyer: { name: BUYER.name, address: BUYER.address },
        payment: SELLER.payment,
        notes: SELLER.note,
        total: '10.005000',
        net: '10.01',
        tax: { name: 'VAT', rate: '19', amount: '1.90' },
        payable: '11.91',
      });
      expect(rows(202411)[0]).to.include({
        issued: '2025-01-01',
        due: '2025-01-15',
        seller: SELLER.name,
        sellerAddress: 'Hafenstr. 1, 20459 Hamburg',
        sellerTaxNumber: SELLER.taxNumber,
        buyer: 'Acme Ltd',
        buyerAddress: '1 High Street, Leeds LS1 1AA',
        buyerTaxNumber: '',
        total: '10.005000',
        net: '10.01',
        taxName: 'VAT',
        taxRate: '19',
        tax: '1.90',
        payable: '11.91',
        payment: SELLER.payment[0],
        notes: SELLER.note[0],
      });
      const page = stored(202411, 'html');
      const said = [
        SELLER.name,
        ...SELLER.address,
        SELLER.taxNumber,
        ...SELLER.payment,
        ...SELLER.note,
        ...BUYER.address,
      ];
      for (const text of [...said, '1 January 2025', '15 January 2025', 'VAT 19 %', '1.90', '11.91 EUR'])
        expect(page).to.include(text);
      expect(checked()).to.deep.equal([]);
    });

    it('has an advertiser’s own tax rate and note instead of the seller’s, such as for a reverse charge', () => {
      close(202411, { seller: SELLER, buyer: ABROAD });
      expect(read(202411)).to.deep.include({
        net: '10.01',
        tax: { name: 'VAT', rate: '0', amount: '0.00' },
        payable: '10.01',
        notes: ['Reverse charge', 'Registered in Hamburg'],
      });
      expect(stored(202411, 'html')).to.include('VAT 0 %').and.include('Reverse charge').and.include('VAT ID GB1');
      expect(checked()).to.deep.equal([]);
    });

    it('has no line of tax without a rate, and says nothing of what is not set', () => {
      const { name, address } = SELLER;
      close(202411, { seller: { name, address }, buyer: BUYER });
      expect(read(202411)).to.deep.include({ due: null, tax: null, net: '10.01', payable: '10.01', payment: [] });
      expect(stored(202411, 'html')).to.include('Payable, rounded').and.not.include(' %').and.not.include('Due');
      expect(checked()).to.deep.equal([]);
    });

    it('is as it was without billing details if none are set', () => {
      close(202411, {});
      const keys = 'number state closedAt advertiser month from to timeZone currency lines credits total payable';
      expect(Object.keys(read(202411))).to.deep.equal(keys.split(' '));
      expect(Object.keys(rows(202411)[0]!).at(-1)).to.equal('payable');
      expect(stored(202411, 'html')).to.not.match(/<address|Date|Due|Net|Tax/);
      expect(checked()).to.deep.equal([]);
    });

    it('credits tax with what it credits, and then asks for no payment', () => {
      close(202410, { seller: SELLER, buyer: BUYER });
      const rule = { ids: [testDigest(0), testDigest(1), testDigest(2), testDigest(3), testDigest(4)] };
      writeLedger(temporary.location, (database) =>
        voidEvents(database, { rule, reason: 'a script', timeZone: basis.timeZone, now: CLOSED }),
      );
      close(202411, { seller: SELLER, buyer: BUYER });
      expect(read(202410)).to.deep.include({ net: '6.67', payable: '7.94' });
      expect(read(202411)).to.deep.include({
        total: '-6.670000',
        net: '-6.67',
        tax: { name: 'VAT', rate: '19', amount: '-1.27' },
        payable: '-7.94',
        due: null,
        payment: [],
      });
      expect(rows(202411).map(({ amount }) => Number(amount))).to.deep.equal([10.005, -6.67, -10.005]);
      expect(checked()).to.deep.equal([]);
    });

    it('keeps what was set when it was closed, and is verified as before', async () => {
      const set = (...args: string[]) => commands.run(BILLING, ...args);
      await set('seller', '--name', 'Old Ltd', '--address', 'Old Road 1', '--tax-rate', '19', '--due-days', '30');
      const refused = await commands.attempt(INVOICE, ...wanted, '--close');
      expect([refused.code, refused.stderr]).to.deep.equal([
        1,
        '"Acme" has no billing address, and a closed invoice cannot get one any more: ' +
          'set it with npm run billing -- advertiser NAME --address LINE\n',
      ]);
      await set('advertiser', 'Acme', '--address', '1 High Street');
      const open = await commands.run(INVOICE, ...wanted, '--format', 'json');
      expect(JSON.parse(open)).to.deep.include({ state: 'open', issued: null, due: null, payable: '11.91' });
      const formats = ['csv', 'html', 'json'] as const;
      const closed = await Promise.all(
        formats.map((format) => commands.run(INVOICE, ...wanted, '--close', '--format', format)),
      );
      await set('seller', '--name', 'New Ltd', '--tax-rate', '20', '--address', 'New Road 2');
      await set('unset', 'Acme');
      for (const [at, format] of formats.entries()) {
        const file = join(temporary.dataDir, `acme.${format}`);
        expect(await commands.run(INVOICE, ...wanted, '--close', '--format', format)).to.equal(closed[at]);
        await commands.run(INVOICE, ...wanted, '--format', format, '--out', file);
        expect(await commands.run(INVOICE, '--verify', file)).to.include('is invoice 000001 of "Acme"');
        expect(closed[at]).to.include('Old Ltd').and.include('1.90').and.not.include('New');
      }
      expect(checked()).to.deep.equal([]);
    });

    it('is not closed with a buyer and no seller', async () => {
      await commands.run(BILLING, 'advertiser', 'Acme', '--address', '1 High Street', '--tax-rate', '19');
      const refused = await commands.attempt(INVOICE, ...wanted, '--close');
      expect([refused.code, refused.stderr]).to.deep.equal([
        1,
        '"Acme" has billing details and no seller is set, and a closed invoice cannot get one any more: ' +
          'set it with npm run billing -- seller --name NAME --address LINE\n',
      ]);
      await commands.run(BILLING, 'seller', '--name', 'Nordlicht', '--address', 'Hafenstr. 1');
      const closed = await commands.run(INVOICE, ...wanted, '--close', '--format', 'json');
      expect(JSON.parse(closed)).to.have.nested.property('seller.name', 'Nordlicht');
    });

    for (const [what, from, to] of [
      ['amount of tax', '"amount": "1.90"', '"amount": "1.91"'],
      ['tax rate', '"rate": "19"', '"rate": "20"'],
      ['net amount', '"net": "10.01"', '"net": "10.02"'],
      ['payable amount', '"payable": "11.91"', '"payable": "10.01"'],
    ] as const)
      it(`is reported if the stored ${what} does not follow from the others`, () => {
        close(202411, { seller: SELLER, buyer: BUYER });
        const changed = stored(202411, 'json').replace(from, to);
        expect(changed).to.include(to);
        writeLedger(temporary.location, (database) =>
          execute(
            database,
            `update invoice_documents set content = '${changed}', digest = '${sha256(changed)}' where format = 'json'`,
          ),
        );
        expect(checked()).to.deep.equal(['invoice 000001 of "Acme": payable differs from what the ledger has billed']);
      });

    it('escapes what was set', () => {
      const hostile = { name: HOSTILE, address: [HOSTILE], note: [HOSTILE], taxNumber: '=1+1' };
      close(202411, {
        seller: { ...hostile, payment: [HOSTILE], taxName: HOSTILE, taxRate: '7' },
        buyer: { ...hostile, advertiser: 'Acme' },
      });
      expect(stored(202411, 'html')).to.not.include('<script');
      expect(rows(202411)[0]).to.include({ sellerTaxNumber: "'=1+1", tax: '0.70' });
    });
  });
}

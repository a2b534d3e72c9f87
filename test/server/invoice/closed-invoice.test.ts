import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeMonth } from '../../../server/invoice/close-month.js';
import { writeInvoice, type Format } from '../../../server/invoice/formats.js';
import { invoice } from '../../../server/invoice/invoice.js';
import { isRounded, payableOf } from '../../../server/invoice/payable.js';
import { findDocument, readStoredInvoice } from '../../../server/invoice/stored-invoices.js';
import { openForReading } from '../../../server/ledger/database.js';
import type { LedgerDatabase } from '../../../server/ledger/tables/ledger-database.js';
import { writeClockMark } from '../../../server/ledger/tables/accounting-basis.js';
import { Installation } from '../../support/installation.js';
import { testClaims, testDigest } from '../../support/test-claims.js';
import {
  allowWrites,
  execute,
  refuseWrites,
  STORES,
  type TemporaryLedger,
  temporaryLedgerIn,
  writeLedger,
} from '../ledger/temporary-ledger.js';

const basis = { currency: 'EUR', timeZone: 'UTC' };
const after = Date.UTC(2025, 0, 1);
const COMMAND = 'server/commands/invoice/main.js';

for (const store of STORES) {
  describe(`a closed invoice in ${store}`, () => {
    let temporary: TemporaryLedger;
    let commands: Installation;
    let next = 0;
    beforeEach(async () => {
      temporary = await temporaryLedgerIn(store);
      commands = new Installation(temporary.dataDir, { CURRENCY: 'EUR', ...temporary.env });
    });
    afterEach(() => temporary.remove());

    const recorded = async (advertiser: string, ...times: string[]): Promise<void> => {
      const ledger = await temporary.open(basis);
      const claims = testClaims({ advertiser, pricing: { model: 'cpm', micros: 1_001_000 } });
      for (const at of times) {
        await ledger.record({ kind: 'impression', id: testDigest(next++), claims, at: Date.parse(at) });
      }
      await ledger.close();
    };
    const written = <T>(use: (database: LedgerDatabase) => T): T => writeLedger(temporary.location, use);
    const close = (advertiser: string, month: number) =>
      written((database) => closeMonth(database, advertiser, month, basis, after));
    const stored = (advertiser: string, month: number, format: Format) =>
      written((database) => readStoredInvoice(database, advertiser, month, format));
    const numberOf = (advertiser: string, month: number): unknown => {
      const document = stored(advertiser, month, 'json');
      return document === undefined ? undefined : (JSON.parse(document) as { number: unknown }).number;
    };

    it('is as of one moment: it excludes what is recorded and closed while it is read', async () => {
      await recorded('Acme', '2024-11-05');
      const reader = openForReading(temporary.location);
      let closing = false;
      const meddled: LedgerDatabase = {
        ...reader,
        run(query) {
          // At the last read, another process has counted one more event and closed the month.
          if (!closing && JSON.stringify(query.toOperationNode()).includes('closed_months')) {
            closing = true;
            written((database) => execute(database, 'update billed set times = times + 1'));
            close('Acme', 202411);
          }
          return reader.run(query);
        },
      };
      const read = invoice(meddled, 'Acme', 202411, basis);
      expect(closing).to.equal(true);
      reader.close();
      expect([read.closedAt, read.lines[0]?.events]).to.deep.equal([null, 1]);
      expect(JSON.parse(stored('Acme', 202411, 'json')!)).to.have.nested.property('lines[0].events', 2);
    });

    it('is stored as sent, and stays so whatever the ledger holds later', async () => {
      await recorded('Acme', '2024-11-05', '2024-11-06');
      close('Acme', 202411);
      const formats = ['csv', 'html', 'json'] as const;
      const sent = formats.map((format) => stored('Acme', 202411, format));
      written((database) => execute(database, 'update billed set times = 7; update closed_months set closed_at = 1'));
      close('Acme', 202411);
      expect(formats.map((format) => stored('Acme', 202411, format))).to.deep.equal(sent);
      const asked = ['--advertiser', 'Acme', '--month', '2024-11', '--close', '--format'];
      for (const [place, format] of formats.entries()) {
        expect(await commands.run(COMMAND, ...asked, format)).to.equal(sent[place]);
      }
    });

    it('has its number, state, total, payable amount and currency in every format', async () => {
      await recorded('Acme', ...Array.from({ length: 6 }, () => '2024-11-05'));
      const open = written((database) => invoice(database, 'Acme', 202411, basis));
      const empty = written((database) => invoice(database, 'Acme', 202410, basis));
      const openOnes = { state: 'open', currency: 'EUR', total: '0.006006', payable: '0.01' };
      expect(JSON.parse(writeInvoice(open, 'json'))).to.include({ ...openOnes, number: null, closedAt: null });
      expect(rowsOf(writeInvoice(open, 'csv'))[0]).to.include({ ...openOnes, number: '', closedAt: '' });
      const nothing = { state: 'open', currency: 'EUR', total: '0.000000', payable: '0.00', amount: '0.000000' };
      expect(rowsOf(writeInvoice(empty, 'csv'))).to.have.length(1);
      expect(rowsOf(writeInvoice(empty, 'csv'))[0]).to.include({ ...nothing, creative: '' });
      expect(writeInvoice(open, 'html')).to.include('Open: not final').and.include('0.01 EUR').and.include('0.006006');
      close('Acme', 202411);
      const closed = { ...openOnes, state: 'closed', number: '000001', closedAt: '2025-01-01T00:00:00.000Z' };
      expect(JSON.parse(stored('Acme', 202411, 'json')!)).to.include(closed);
      expect(rowsOf(stored('Acme', 202411, 'csv')!)[0]).to.include(closed);
      const page = stored('Acme', 202411, 'html')!;
      for (const part of ['Invoice 000001', 'Closed 2025-01-01', '0.01 EUR', '0.006006', 'SHA-256']) {
        expect(page).to.include(part);
      }
    });

    it('has the next number, without gaps, across advertisers', async () => {
      await recorded('Acme', '2024-10-05', '2024-11-05');
      await recorded('Blue', '2024-11-05');
      close('Blue', 202411);
      expect(() => written((database) => closeMonth(database, 'Acme', 202501, basis, after))).to.throw('not over');
      close('Acme', 202411);
      close('Blue', 202411);
      close('Acme', 202410);
      const all = [numberOf('Blue', 202411), numberOf('Acme', 202411), numberOf('Acme', 202410)];
      expect(all).to.deep.equal(['000001', '000002', '000003']);
    });

    it('is not made while the month is not over by the ledger’s clock, even if the machine’s clock is ahead', async () => {
      await recorded('Acme', '2024-11-05');
      written((database) => writeClockMark(database, Date.UTC(2024, 11, 1) - 1));
      expect(() => close('Acme', 202411)).to.throw(/ledger's clock.* is at 2024-11-30T23:59:59/);
      expect(numberOf('Acme', 202411)).to.equal(undefined);
      written((database) => writeClockMark(database, Date.UTC(2024, 11, 1)));
      close('Acme', 202411);
      expect(numberOf('Acme', 202411)).to.equal('000001');
    });

    it('is stored completely or not at all, and its month is not closed without it', async () => {
      await recorded('Acme', '2024-11-05');
      written((database) => refuseWrites(database, 'insert', 'invoice_documents'));
      expect(() => close('Acme', 202411)).to.throw('full');
      const open = written((database) => invoice(database, 'Acme', 202411, basis));
      expect(open.closedAt).to.equal(null);
      written((database) => allowWrites(database, 'invoice_documents'));
      close('Acme', 202411);
      expect(numberOf('Acme', 202411)).to.equal('000001');
    });

    it('is distinguished from a changed one by the command, byte for byte', async () => {
      await recorded('Acme', '2024-11-05');
      const file = join(temporary.dataDir, 'acme.csv');
      await commands.run(COMMAND, '--advertiser', 'Acme', '--month', '2024-11', '--out', file);
      expect((await commands.attempt(COMMAND, '--verify', file)).code, 'still open').to.equal(1);
      await commands.run(COMMAND, '--advertiser', 'Acme', '--month', '2024-11', '--close', '--out', file);
      const verified = await commands.run(COMMAND, '--verify', file);
      expect(verified).to.include('is invoice 000001 of "Acme" for 2024-11, as stored (csv)');
      writeFileSync(file, readFileSync(file, 'utf8').replace('0.001001', '0.001002'));
      const { code, stderr } = await commands.attempt(COMMAND, '--verify', file);
      expect([code, stderr]).to.deep.equal([
        1,
        `${file} is not a stored invoice: it was changed, is of an open month, or belongs to another ledger\n`,
      ]);
      expect((await commands.attempt(COMMAND, '--verify', file, '--month', '2024-11')).code).to.equal(2);
    });

    it('is printed byte for byte if the output is not a terminal, including direction marks in names', async () => {
      // As a feed may contain: a Hebrew name isolated from the text around it.
      const name = '\u2067שלום\u2069';
      await recorded(name, '2024-11-05');
      const printed = join(temporary.dataDir, 'printed.csv');
      const wanted = ['--advertiser', name, '--month', '2024-11'];
      await commands.run(COMMAND, ...wanted, '--close', '--out', join(temporary.dataDir, 'closed.csv'));
      writeFileSync(printed, await commands.run(COMMAND, ...wanted));
      expect((await commands.attempt(COMMAND, '--verify', printed)).code).to.equal(0);
    });

    it('is found by its digest only if it equals the stored document', async () => {
      await recorded('Acme', '2024-11-05');
      close('Acme', 202411);
      const page = Buffer.from(stored('Acme', 202411, 'html')!);
      const find = (document: Buffer) => written((database) => findDocument(database, document));
      expect(find(page)).to.deep.equal({ number: 1, advertiser: 'Acme', month: '2024-11', format: 'html' });
      expect(find(Buffer.concat([page, Buffer.from(' ')]))).to.equal(undefined);
    });
  });
}

describe('the payable amount of a total', () => {
  it('is rounded once, half away from zero, to the smallest unit of the currency', () => {
    const payable = (micros: bigint, currency: string) => {
      const rounded = payableOf(micros, currency);
      return [rounded.micros, rounded.decimals];
    };
    expect(payable(4_999n, 'EUR')).to.deep.equal([0n, 2]);
    expect(payable(5_000n, 'EUR')).to.deep.equal([10_000n, 2]);
    expect(payable(1_014_999n, 'USD')).to.deep.equal([1_010_000n, 2]);
    expect(payable(-5_000n, 'EUR')).to.deep.equal([-10_000n, 2]);
    expect(payable(-4_999n, 'EUR')).to.deep.equal([0n, 2]);
    expect(payable(1_500_000n, 'JPY')).to.deep.equal([2_000_000n, 0]);
    expect(payable(1_234_500n, 'KWD')).to.deep.equal([1_235_000n, 3]);
  });

  it('has the decimals of ISO 4217, whatever Node shows for a currency', () => {
    const known = Object.entries({ HUF: 2, PKR: 2, COP: 2, IDR: 2, IQD: 3, CLP: 0, CLF: 4, ISK: 0, UGX: 0, EUR: 2 });
    for (const [currency, expected] of known) expect(payableOf(1n, currency).decimals, currency).to.equal(expected);
  });

  it('is recognized as the rounded total, whatever unit an earlier release rounded to', () => {
    const total = 1_234_567_890n;
    for (const payable of ['1235', '1234.6', '1234.57', '1234.567890'])
      expect(isRounded(payable, total)).to.equal(true);
    for (const payable of ['1234', '1234.56', '1235.00', '', 'x', '1234.5678900'])
      expect(isRounded(payable, total)).to.equal(false);
  });
});

function rowsOf(csv: string): Record<string, string>[] {
  return parse<Record<string, string>>(csv, { columns: true });
}

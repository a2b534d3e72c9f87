import { expect } from 'chai';
import fc from 'fast-check';
import { decimal } from '../../../models/text/money.js';
import { amountsOf, areAmountsOf } from '../../../server/invoice/amounts.js';

const party = { name: 'A', address: ['B'] };

describe('tax on an invoice', () => {
  const amounts = (micros: bigint, taxRate: string, currency = 'EUR') => {
    const { netMicros, tax, payableMicros, payableDecimals } = amountsOf(micros, currency, {
      seller: { ...party, taxRate },
    });
    return [netMicros, tax!.micros, payableMicros].map((each) => decimal(each, payableDecimals));
  };

  it('is rounded once, on the rounded total, half away from zero', () => {
    expect(amounts(10_005_000n, '19')).to.deep.equal(['10.01', '1.90', '11.91']);
    // Half a cent, and the same as a credit.
    expect(amounts(500_000n, '5')).to.deep.equal(['0.50', '0.03', '0.53']);
    expect(amounts(-500_000n, '5')).to.deep.equal(['-0.50', '-0.03', '-0.53']);
    expect(amounts(490_000n, '5')).to.deep.equal(['0.49', '0.02', '0.51']);
    expect(amounts(100_000_000n, '8.875', 'USD')).to.deep.equal(['100.00', '8.88', '108.88']);
    expect(amounts(1_005_400_000n, '10', 'JPY')).to.deep.equal(['1005', '101', '1106']);
    expect(amounts(1_234_500n, '5', 'KWD')).to.deep.equal(['1.235', '0.062', '1.297']);
  });

  it('is exact for any amount', () => {
    expect(amounts(9_007_199_254_740_993_000_000n, '19')[1]).to.equal('1711367858400788.67');
  });

  it('has the advertiser’s own rate, under the seller’s name', () => {
    const seller = { ...party, taxName: 'VAT', taxRate: '19' };
    const buyer = { ...party, advertiser: 'Acme', taxRate: '0' };
    expect(amountsOf(1n, 'EUR', { seller, buyer }).tax).to.include({ name: 'VAT', rate: '0' });
    expect(amountsOf(1n, 'EUR', { buyer }).tax).to.include({ name: 'Tax', rate: '0' });
    expect(amountsOf(1n, 'EUR', { seller: party }).tax).to.equal(null);
  });

  it('is found again from what is written, and no other', () => {
    const rates = fc
      .tuple(fc.nat(99), fc.nat(9999))
      .map(([whole, part]) => `${whole}.${String(part).padStart(4, '0')}`);
    const totals = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n });
    fc.assert(
      fc.property(totals, rates, fc.constantFrom('EUR', 'JPY', 'KWD'), (total, taxRate, currency) => {
        const { netMicros, tax, payableMicros, payableDecimals } = amountsOf(total, currency, {
          seller: { ...party, taxRate },
        });
        const text = (micros: bigint) => decimal(micros, payableDecimals);
        const amount = text(tax!.micros);
        const written = { net: text(netMicros), tax: { rate: taxRate, amount }, payable: text(payableMicros) };
        expect(areAmountsOf(written, total)).to.equal(true);
        const unit = 10n ** BigInt(6 - payableDecimals);
        expect(areAmountsOf({ ...written, tax: { rate: taxRate, amount: text(tax!.micros + unit) } }, total)).to.equal(
          false,
        );
        expect(areAmountsOf({ ...written, payable: text(payableMicros - unit) }, total)).to.equal(false);
        expect(areAmountsOf(written, total + unit)).to.equal(false);
      }),
    );
  });
});

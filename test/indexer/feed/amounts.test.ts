import { expect } from 'chai';
import fc from 'fast-check';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkFeed } from '../../../indexer/feed/check-feed.js';
import { describeFault } from '../../../indexer/feed/feed-entry.js';
import { readFeed } from '../../../indexer/feed/read-feed.js';
import { decimal } from '../../../models/text/money.js';
import { feedRow } from '../../support/feed.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('money in a feed', () => {
  const folder = temporaryDirectory();
  after(() => rmSync(folder, { recursive: true }));

  const check = async (text: string, name = 'feed.jsonl') => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    const { rows, faults, warnings } = await checkFeed(await readFeed(file), file, {
      timeZone: 'UTC',
      currency: 'EUR',
      now: 0,
    });
    expect(warnings).to.deep.equal([]);
    return { rows: rows.map(({ creative }) => creative), faults: faults.map((fault) => describeFault('feed', fault)) };
  };
  const checkRow = (fields: Record<string, unknown>) => check(JSON.stringify(feedRow('a', fields)));
  const csv = (columns: string, cells: string) =>
    check(`id,name,text,landingUrl,${columns}\na,A,Text,https://shop.example/a,${cells}\n`, 'feed.csv');

  const CPM = { pricing: { model: 'cpm' } };
  const CPC = { pricing: { model: 'cpc' } };

  it('is refused in micros unless it is a whole number, since 2.00 was meant as units', async () => {
    const hint = '(1 unit of the currency is 1,000,000 micros)';
    for (const wrong of ['2.00', '2.0', '0.35', '2e6', '2.']) {
      expect((await csv('pricing.model,pricing.micros', `cpc,${wrong}`)).faults).to.deep.equal([
        `feed:2: pricing.micros: must be a whole number ${hint}, not "${wrong}"; price takes units`,
      ]);
      expect((await csv('budgetMicros', wrong)).faults).to.deep.equal([
        `feed:2: budgetMicros: must be a whole number ${hint}, not "${wrong}"; budget takes units`,
      ]);
      expect((await csv('dailyBudgetMicros', wrong)).faults[0]).to.match(/dailyBudget takes units$/);
    }
  });

  it('is refused likewise in JSON, whose numbers would lose the decimal point', async () => {
    const row = JSON.stringify(
      feedRow('a', { pricing: { model: 'cpc', micros: 7 }, budgetMicros: 8, dailyBudgetMicros: 9 }),
    );
    const written = row.replace('"micros":7', '"micros" : 2.00').replace(':8', ':500.00').replace(':9', ':2.5E1');
    const fields = ['pricing', 'budgetMicros', 'dailyBudgetMicros'];
    for (const [text, name] of [
      [written, 'feed.jsonl'],
      [`[\n${written}\n]`, 'feed.json'],
    ] as const) {
      const { faults } = await check(text, name);
      expect(faults).to.have.length(3);
      for (const [at, field] of fields.entries()) expect(faults[at]).to.include(field).and.include('whole number');
    }
  });

  it('is not looked for within texts', async () => {
    const text = 'Write "micros": 2.00 and \\"budgetMicros\\": 1.5, or {"micros": 3.1}';
    const { rows, faults } = await checkRow({ text });
    expect(faults).to.deep.equal([]);
    expect(rows[0]!.text).to.equal(text);
    await fc.assert(
      fc.asyncProperty(fc.string(), async (odd) => {
        const text = `${odd}"micros": 2.00${odd}`;
        expect((await checkRow({ text })).rows[0]?.text).to.equal(text);
      }),
      { numRuns: 50 },
    );
  });

  it('may be given in units of the currency, with or without the currency code', async () => {
    for (const price of ['0.35', '0.35 EUR', 'EUR 0.35', '0.350000', 0.35]) {
      const { rows, faults } = await checkRow({ ...CPC, price, budget: '500', dailyBudget: '25.50 EUR' });
      expect(faults, String(price)).to.deep.equal([]);
      expect(rows[0]).to.deep.include({
        pricing: { model: 'cpc', micros: 350_000 },
        budgetMicros: 500_000_000,
        dailyBudgetMicros: 25_500_000,
      });
    }
    const { rows } = await csv('pricing.model,price,budget,dailyBudget', 'cpm,2.50,500.00,25 EUR');
    expect(rows[0]).to.deep.include({
      pricing: { model: 'cpm', micros: 2_500_000 },
      budgetMicros: 500_000_000,
      dailyBudgetMicros: 25_000_000,
    });
  });

  it('gives the same amount in units as in micros', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 1e12 }), fc.integer({ min: 0, max: 6 }), async (micros, decimals) => {
        const text = decimal(BigInt(micros), decimals);
        const { rows } = await checkRow({ ...CPC, price: text, budget: text });
        expect(rows[0]?.pricing?.micros).to.equal(micros);
        expect(rows[0]?.budgetMicros).to.equal(micros);
      }),
      { numRuns: 50 },
    );
  });

  const form = 'must be an amount such as 0.35 or 0.35 EUR, with a point and at most six decimals, not';
  for (const [what, fields, fault] of [
    [
      'another currency',
      { budget: '5 USD' },
      'budget: is in USD, but this installation counts in EUR (the CURRENCY setting)',
    ],
    ['a decimal comma', { budget: '0,35' }, `budget: ${form} "0,35"`],
    ['a thousands separator', { budget: '1,000.00' }, `budget: ${form} "1,000.00"`],
    ['a symbol', { budget: '€5' }, `budget: ${form} "€5"`],
    ['a seventh decimal', { budget: '0.1234567' }, `budget: ${form} "0.1234567"`],
    ['a sum of floating points', { budget: 0.1 + 0.2 }, `budget: ${form} 0.30000000000000004`],
    ['a negative amount', { dailyBudget: '-1' }, `dailyBudget: ${form} "-1"`],
    ['no amount', { dailyBudget: null }, `dailyBudget: ${form} null`],
    ['an amount with the unit micros', { budget: '5micros' }, `budget: ${form} "5micros"`],
    ['two currencies', { budget: 'EUR 5 EUR' }, `budget: ${form} "EUR 5 EUR"`],
    [
      'a budget twice',
      { budget: '5', budgetMicros: 5 },
      'budget: is given together with budgetMicros; give only one of the two',
    ],
    [
      'a price twice',
      { price: '5', pricing: { model: 'cpc', micros: 5 } },
      'price: is given together with pricing.micros; give only one of the two',
    ],
    [
      'a price for nothing',
      { price: '5' },
      'price: needs pricing.model: cpm (per 1,000 impressions) or cpc (per click)',
    ],
    ['a price above a million', { ...CPC, price: '1000000.01' }, 'price: must be at most 1,000,000, not "1000000.01"'],
    [
      'a cpm that no impression can cost',
      { ...CPM, price: '2.5001' },
      'price: of a cpm must have at most three decimals, since one impression costs a thousandth of it; not "2.5001"',
    ],
    [
      'a price of another kind',
      { pricing: { model: 'cpa' }, price: '2' },
      'pricing.model: must be cpm (per 1,000 impressions) or cpc (per click), not "cpa"',
    ],
  ] as const) {
    it(`is refused with ${what}`, async () => {
      expect((await checkRow(fields)).faults).to.deep.equal([`feed:1: ${fault}`]);
    });
  }
});

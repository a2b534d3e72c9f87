import { expect } from 'chai';
import { createCalendar } from '../../../platform/time/calendar.js';
import { DAY } from '../../../platform/time/durations.js';
import type { Claims } from '../../../server/domain/claims.js';
import { ALL_DAYS } from '../../../server/ledger/tables/schema.js';
import { createSpendTable } from '../../../server/ledger/spend.js';
import { testClaims } from '../../support/test-claims.js';

const noon = Date.UTC(2026, 10, 22, 12);

describe('the spend of a transaction', () => {
  /** Spent before: 500 in total, 200 of it today. */
  const opened = () => createSpendTable((_, day) => (day === ALL_DAYS ? 500 : 200), createCalendar('UTC'));
  const claims = (limits?: Claims['limits']) =>
    testClaims({ campaign: 'Spring', advertiser: 'Green', issuedAt: noon, ...(limits && { limits }) });

  it('counts against a limit together with earlier spend, and may reach the limit', () => {
    for (const limits of [
      { totalMicros: 800, dailyMicros: null },
      { totalMicros: null, dailyMicros: 500 },
    ]) {
      const table = opened();
      table.open();
      for (let each = 0; each < 3; each++) {
        expect(table.fits(claims(limits), noon, 100)).to.equal(true);
        table.charge(claims(limits), noon, 100);
      }
      expect([table.fits(claims(limits), noon, 0), table.fits(claims(limits), noon, 1)]).to.deep.equal([true, false]);
      // Returned micros can be spent again.
      table.charge(claims(limits), noon, -100);
      expect(table.fits(claims(limits), noon, 100)).to.equal(true);
    }
  });

  it('is kept per account and day, and forgotten once another transaction begins', () => {
    const limits = { totalMicros: null, dailyMicros: 300 };
    const table = opened();
    table.open();
    table.charge(claims(limits), noon, 100);
    expect(table.fits(claims(limits), noon, 1)).to.equal(false);
    expect(table.fits({ ...claims(limits), campaign: 'Winter' }, noon, 100)).to.equal(true);
    expect(table.fits(claims(limits), noon + DAY, 100)).to.equal(true);
    expect(table.fits(claims(), noon, 1e9)).to.equal(true);
    expect(table.charges().map(({ day, charged }) => [day === ALL_DAYS, charged])).to.deep.equal([
      [true, 100],
      [false, 100],
    ]);
    table.open();
    expect(table.charges()).to.deep.equal([]);
    expect(table.fits(claims(limits), noon, 100)).to.equal(true);
  });
});

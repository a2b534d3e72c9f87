import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { createCalendar } from '../../../../platform/time/calendar.js';
import { followSpending } from '../../../../server/campaigns/budgets/spending.js';
import { accountKey } from '../../../../server/domain/billing.js';
import type { Spend } from '../../../../server/ledger/tables/ledger.js';
import { eventually } from '../../../support/eventually.js';

describe('the spend of accounts', () => {
  const account = { advertiser: 'Acme', campaign: 'Spring', creative: '' };
  const now = Date.parse('2026-11-29T12:00:00Z');

  it('is read seldom while no budget asks for it, and at once when one does', async () => {
    let reads = 0;
    let stored: Spend[] = [{ ...account, total: 5, today: 2 }];
    const spending = await followSpending({
      read: async () => (reads++, stored),
      calendar: createCalendar('UTC'),
      clock: () => now,
      log: { error: () => undefined },
      onChange: () => undefined,
      pollMs: 5,
      unusedMs: 400,
    });
    const key = accountKey(account);
    await eventually(() => {
      expect(spending.of(key, now)).to.deep.equal({ total: 5, today: 2 });
      expect(reads).to.be.greaterThan(2);
    });
    await pause(500);
    const before = reads;
    await pause(1000);
    expect(reads - before).to.be.within(1, 4);

    stored = [{ ...account, total: 9, today: 6 }];
    spending.recordCharge(key, 1, now);
    expect(spending.of(key, now)).to.deep.equal({ total: 6, today: 3 });
    await eventually(() => expect(spending.of(key, now)).to.deep.equal({ total: 9, today: 6 }));
    await spending.close();
  });
});

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

  it('is not read while no budget asks for it, and is again as soon as one does', async () => {
    let reads = 0;
    let stored: Spend[] = [{ ...account, total: 5, today: 2 }];
    const spending = await followSpending({
      read: async () => (reads++, stored),
      calendar: createCalendar('UTC'),
      clock: () => now,
      log: { error: () => undefined },
      onChange: () => undefined,
      pollMs: 5,
      unusedMs: 60,
    });
    const key = accountKey(account);
    expect(spending.of(key, now)).to.deep.equal({ total: 5, today: 2 });
    await eventually(() => expect(reads).to.be.greaterThan(2));
    await pause(200);
    const before = reads;
    await pause(200);
    expect(reads).to.equal(before);

    stored = [{ ...account, total: 9, today: 6 }];
    spending.recordCharge(key, 1, now);
    expect(spending.of(key, now)).to.deep.equal({ total: 6, today: 3 });
    await eventually(() => expect(spending.of(key, now)).to.deep.equal({ total: 9, today: 6 }));
    await spending.close();
  });
});

import { expect } from 'chai';
import { createCalendar } from '../../../../platform/time/calendar.js';
import { accountKey } from '../../../../server/domain/billing.js';
import type { Claims } from '../../../../server/domain/claims.js';
import { accountLocks, needsExclusiveLock, limitedAccounts } from '../../../../server/ledger/postgres/budget-locks.js';
import { dayStart } from '../../../../server/ledger/tables/roll-ups.js';
import { ALL_DAYS } from '../../../../server/ledger/tables/schema.js';
import { testClaims, testDigest } from '../../../support/test-claims.js';

const at = Date.UTC(2026, 10, 22, 12);
const calendar = createCalendar('UTC');
const today = dayStart('2026-11-22');
const click = (number: number, claims: Partial<Claims>) => ({
  kind: 'click' as const,
  id: testDigest(number),
  claims: testClaims({ pricing: { model: 'cpc', micros: 100 }, issuedAt: at, ...claims }),
  at,
});
const spring = { campaign: 'Spring', advertiser: 'Green' };

describe('the limited accounts of a batch', () => {
  it('are those of events with a price and a limit, with the maximum that the batch may charge', () => {
    const events = [
      click(1, { ...spring, limits: { totalMicros: 90_000, dailyMicros: 5000 } }),
      click(2, { ...spring, limits: { totalMicros: 80_000, dailyMicros: null } }),
      click(3, { ...spring, limits: { totalMicros: null, dailyMicros: null } }),
      click(4, { campaign: 'Winter', advertiser: 'Green' }),
      click(5, { campaign: 'Free', pricing: null, limits: { totalMicros: 5, dailyMicros: 5 } }),
    ];
    const [account, ...others] = limitedAccounts(events, calendar);
    expect(others).to.deep.equal([]);
    expect(account).to.include({ key: accountKey(account!), ...spring });
    expect([...account!.spans]).to.deep.equal([
      [ALL_DAYS, { wanted: 200, limit: 80_000 }],
      [today, { wanted: 200, limit: 5000 }],
    ]);
  });
});

describe('a batch that needs an account’s lock exclusively', () => {
  const LIMIT = 256_000;
  const tight = (wanted: number, spentToday: number, slot = 1): boolean => {
    const spans = new Map([
      [ALL_DAYS, { wanted: 0, limit: Infinity }],
      [today, { wanted, limit: LIMIT }],
    ]);
    return needsExclusiveLock(
      { ...spring, creative: '', key: 'x', spans },
      (day) => (day === today ? spentToday : 0),
      slot,
    );
  };

  it('may by itself charge more than a 256th of a limit', () => {
    expect(tight(1000, 0)).to.equal(false);
    expect(tight(1001, 0)).to.equal(true);
  });

  it('finds less of a limit left than sixteen servers may charge at once', () => {
    expect(tight(1000, LIMIT - 16_000)).to.equal(false);
    expect(tight(1000, LIMIT - 15_999)).to.equal(true);
  });

  it('belongs to a server beyond the first sixteen', () => {
    expect([tight(1, 0, 16), tight(1, 0, 17)]).to.deep.equal([false, true]);
  });
});

describe('the locks of accounts', () => {
  const many = Array.from({ length: 2000 }, (_, number) => ({
    advertiser: 'Green',
    campaign: `c${number}`,
    creative: '',
    key: `account ${number}`,
    spans: new Map<number, never>(),
  }));

  it('are few, in ascending order, and exclusive if any of their accounts needs it', () => {
    const { locks, exclusive } = accountLocks(many, new Set());
    expect(locks).to.deep.equal(locks.toSorted((one, other) => one - other));
    expect(locks).to.have.length.within(250, 256);
    expect(locks.every(Number.isSafeInteger)).to.equal(true);
    expect(exclusive).to.have.length(locks.length).and.not.include(true);
    // Regardless of which account sharing a lock comes first.
    for (const some of [many, many.toReversed()]) {
      const held = accountLocks(some, new Set([many[7]!.key]));
      expect(held.locks).to.deep.equal(locks);
      expect(held.exclusive.filter(Boolean)).to.have.length(1);
      const [own] = accountLocks([many[7]!], new Set()).locks;
      expect(held.exclusive[locks.indexOf(own!)]).to.equal(true);
    }
  });
});

import type { Claims } from '../domain/claims.js';
import { type Account, accountKey, accountOf } from '../domain/billing.js';
import type { Calendar } from '../../platform/time/calendar.js';
import type { SpendRow } from './tables/event-tables.js';
import type { Spend } from './tables/ledger.js';
import { queries, type LedgerDatabase } from './tables/ledger-database.js';
import { dayStart } from './tables/roll-ups.js';
import { ALL_DAYS } from './tables/schema.js';

/** The spend of accounts, updated in the transaction of the events, so that no event exceeds a limit. */
export interface SpendTable {
  /** Begins a transaction: forgets the spend that was read before, since other writers may have changed it. */
  open(): void;
  /** Whether this price is within the claims' limits, including everything charged in this transaction so far. */
  fits(claims: Claims, at: number, price: number): boolean;
  /** Charges an account. @param price negative: returns an earlier charge */
  charge(claims: Claims, at: number, price: number): void;
  /** Returns the charges of this transaction, to be written at its end. */
  charges(): SpendRow[];
}

/** An account's micros in one span. `day` is the day's start, as in a day's counter, or `ALL_DAYS`. */
interface Entry extends Account {
  readonly day: number;
  before: number | undefined;
  charged: number;
}

/** @param spentBefore returns what an account has spent on a day, or in total (`ALL_DAYS`), before this transaction */
export function createSpendTable(
  spentBefore: (account: Account, day: number) => number,
  calendar: Calendar,
): SpendTable {
  const entries = new Map<string, Entry>();

  const entryOf = (claims: Claims, day: number): Entry => {
    const account = accountOf(claims);
    const key = `${day} ${accountKey(account)}`;
    const entry = entries.get(key) ?? { ...account, day, before: undefined, charged: 0 };
    entries.set(key, entry);
    return entry;
  };
  const spent = (claims: Claims, day: number): number => {
    const entry = entryOf(claims, day);
    entry.before ??= spentBefore(entry, day);
    return entry.before + entry.charged;
  };

  return {
    open: () => entries.clear(),
    fits(claims, at, price) {
      const { totalMicros = null, dailyMicros = null } = claims.limits ?? {};
      if (totalMicros !== null && spent(claims, ALL_DAYS) + price > totalMicros) return false;
      return dailyMicros === null || spent(claims, dayOf(calendar, at)) + price <= dailyMicros;
    },
    charge(claims, at, price) {
      for (const day of [ALL_DAYS, dayOf(calendar, at)]) entryOf(claims, day).charged += price;
    },
    charges: () => [...entries.values()].filter(({ charged }) => charged !== 0),
  };
}

/** Returns what every account has spent in total and on the day of `at`, epoch milliseconds. */
export function readSpending(database: LedgerDatabase, calendar: Calendar, at: number): Spend[] {
  const sums = queries
    .selectFrom('spend')
    .where('day', 'in', [ALL_DAYS, dayOf(calendar, at)])
    .select(['day', 'advertiser', 'campaign', 'creative'])
    .select(({ fn }) => fn.sum<number>('micros').as('micros'))
    .groupBy(['day', 'advertiser', 'campaign', 'creative']);
  const accounts = new Map<string, Spend>();
  for (const { day, micros, ...account } of database.readAsNumbers(sums)) {
    const key = accountKey(account);
    const spend = accounts.get(key) ?? { ...account, total: 0, today: 0 };
    accounts.set(key, day === ALL_DAYS ? { ...spend, total: micros } : { ...spend, today: micros });
  }
  return [...accounts.values()];
}

function dayOf(calendar: Calendar, at: number): number {
  return dayStart(calendar.dateOf(at));
}

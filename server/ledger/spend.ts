import type { Database, Statement } from 'better-sqlite3';
import { type Claims } from '../domain/claims.js';
import { type Account, accountKey, accountOf } from '../domain/billing.js';
import type { Calendar } from '../../models/time/calendar.js';
import { queries } from './database.js';
import { dayStart } from './roll-ups.js';
import { ALL_DAYS } from './schema.js';

/** Micros that an account has spent, in all and on one day. */
export interface Spend extends Account {
  readonly total: number;
  readonly today: number;
}

/** What accounts have spent, kept beside the events within their transaction: no event passes its limits. */
export interface SpendTable {
  /** Begins a transaction: forgets what was known, since others may have written meanwhile. */
  open(): void;
  /** Whether the claims' limits have room for this price. Everything charged in this transaction so far counts. */
  fits(claims: Claims, at: number, price: number): boolean;
  /** @param price negative: it was charged before, and is given back */
  charge(claims: Claims, at: number, price: number): void;
  /** Ends a transaction: writes what was charged in it. */
  write(): void;
  /** What every account has spent in all and on the day of `at`, epoch milliseconds. */
  read(at: number): Spend[];
}

/** Micros within one span: the day's start as in a day's counter, or `ALL_DAYS`. */
interface Entry extends Account {
  readonly day: number;
  before: number | undefined;
  charged: number;
}

export function createSpendTable(database: Database, calendar: Calendar): SpendTable {
  const [find, add, list] = [findSpend, addSpend, listSpend].map((query) => database.prepare(query.compile().sql)) as [
    Statement<[number, string, string, string], { micros: number }>,
    Statement<[number, string, string, string, number]>,
    Statement<[number, number], Account & { day: number; micros: number }>,
  ];
  const entries = new Map<string, Entry>();

  const dayOf = (at: number): number => dayStart(calendar.dateOf(at));
  const entryOf = (claims: Claims, day: number): Entry => {
    const account = accountOf(claims);
    const key = `${day} ${accountKey(account)}`;
    const entry = entries.get(key) ?? { ...account, day, before: undefined, charged: 0 };
    entries.set(key, entry);
    return entry;
  };
  const spent = (claims: Claims, day: number): number => {
    const entry = entryOf(claims, day);
    entry.before ??= find.get(day, entry.advertiser, entry.campaign, entry.creative)?.micros ?? 0;
    return entry.before + entry.charged;
  };

  return {
    open: () => entries.clear(),
    fits(claims, at, price) {
      const { totalMicros = null, dailyMicros = null } = claims.limits ?? {};
      if (totalMicros !== null && spent(claims, ALL_DAYS) + price > totalMicros) return false;
      return dailyMicros === null || spent(claims, dayOf(at)) + price <= dailyMicros;
    },
    charge(claims, at, price) {
      for (const day of [ALL_DAYS, dayOf(at)]) entryOf(claims, day).charged += price;
    },
    write() {
      for (const { day, advertiser, campaign, creative, charged } of entries.values()) {
        if (charged !== 0) add.run(day, advertiser, campaign, creative, charged);
      }
    },
    read(at) {
      const accounts = new Map<string, Spend>();
      for (const { day, micros, ...account } of list.all(ALL_DAYS, dayOf(at))) {
        const key = accountKey(account);
        const spend = accounts.get(key) ?? { ...account, total: 0, today: 0 };
        accounts.set(key, day === ALL_DAYS ? { ...spend, total: micros } : { ...spend, today: micros });
      }
      return [...accounts.values()];
    },
  };
}

const findSpend = queries
  .selectFrom('spend')
  .select('micros')
  .where('day', '=', 0)
  .where('advertiser', '=', '')
  .where('campaign', '=', '')
  .where('creative', '=', '');

const addSpend = queries
  .insertInto('spend')
  .values({ day: 0, advertiser: '', campaign: '', creative: '', micros: 0 })
  .onConflict((conflict) =>
    conflict.columns(['day', 'advertiser', 'campaign', 'creative']).doUpdateSet((build) => ({
      micros: build('spend.micros', '+', build.ref('excluded.micros')),
    })),
  );

const listSpend = queries.selectFrom('spend').selectAll().where('day', 'in', [0, 0]);

import type { Calendar } from '../../../platform/time/calendar.js';
import { FIRST_ACCOUNT_LOCK } from '../../../platform/postgres/locks.js';
import { type Account, accountKey, accountOf, priceMicros } from '../../domain/billing.js';
import { momentOf } from '../tables/batch.js';
import type { UsageEvent } from '../tables/ledger.js';
import { dayStart } from '../tables/roll-ups.js';
import { ALL_DAYS } from '../tables/schema.js';

/** An account with limits that a batch must observe. */
export interface LimitedAccount extends Account {
  readonly key: string;
  /** By day, or `ALL_DAYS`: the maximum that the batch may charge, and the lowest of the limits, in micros. */
  readonly spans: ReadonlyMap<number, { wanted: number; limit: number }>;
}

/**
 * Batches that share an account's lock do not see each other's charges. Each charges at most this part of a limit, and
 * at most this many share the lock: so together they cannot exceed the limit while at least the product of the two is
 * left.
 */
const PART = 1 / 256;
const MAX_AT_ONCE = 16;

/** Returns the accounts with limits that a batch's events may charge. */
export function limitedAccounts(events: readonly UsageEvent[], calendar: Calendar): LimitedAccount[] {
  const accounts = new Map<string, Account & { key: string; spans: Map<number, { wanted: number; limit: number }> }>();
  for (const event of events) {
    const { claims, kind } = event;
    const wanted = priceMicros(claims, kind);
    const { totalMicros = null, dailyMicros = null } = claims.limits ?? {};
    if (wanted === 0 || (totalMicros === null && dailyMicros === null)) continue;
    const account = accountOf(claims);
    const key = accountKey(account);
    const limited = accounts.get(key) ?? {
      ...account,
      key,
      spans: new Map<number, { wanted: number; limit: number }>(),
    };
    accounts.set(key, limited);
    const day = dayStart(calendar.dateOf(momentOf(event)));
    for (const [span, limit] of [
      [ALL_DAYS, totalMicros],
      [day, dailyMicros],
    ] as const) {
      const before = limited.spans.get(span) ?? { wanted: 0, limit: Infinity };
      limited.spans.set(span, { wanted: before.wanted + wanted, limit: Math.min(before.limit, limit ?? Infinity) });
    }
  }
  return [...accounts.values()];
}

/**
 * Whether a batch must hold an account's lock exclusively: so much of a limit is spent, or may be spent by this batch,
 * that the charges of concurrent batches matter.
 *
 * @param spent returns the micros spent on a day, or in total (`ALL_DAYS`)
 * @param slot the server's slot; the first is 1
 */
export function needsExclusiveLock({ spans }: LimitedAccount, spent: (day: number) => number, slot: number): boolean {
  if (slot > MAX_AT_ONCE) return true;
  return [...spans].some(
    ([day, { wanted, limit }]) => wanted > limit * PART || spent(day) > limit * (1 - MAX_AT_ONCE * PART),
  );
}

/**
 * PostgreSQL has memory for a few thousand locks, and a batch may hold events of thousands of accounts: so accounts
 * share locks.
 */
const LOCKS = 256;

/**
 * Returns the accounts' locks and which of them are exclusive, in ascending order, so that two batches cannot deadlock.
 */
export function accountLocks(accounts: readonly LimitedAccount[], exclusive: ReadonlySet<string>) {
  const locks = new Map<number, boolean>();
  for (const { key } of accounts) {
    let sum = 0;
    for (const character of key) sum = (sum * 31 + character.codePointAt(0)!) % 0x7fffffff;
    const lock = FIRST_ACCOUNT_LOCK + (sum % LOCKS);
    locks.set(lock, locks.get(lock) === true || exclusive.has(key));
  }
  const ordered = [...locks].toSorted(([one], [other]) => one - other);
  return { locks: ordered.map(([lock]) => lock), exclusive: ordered.map(([, isExclusive]) => isExclusive) };
}

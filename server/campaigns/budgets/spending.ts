import type { Calendar } from '../../../platform/time/calendar.js';
import { poll } from '../../../platform/time/poll.js';
import { accountKey } from '../../domain/billing.js';
import type { Spend } from '../../ledger/tables/ledger.js';
import type { FollowLog } from '../../stores/followed-store.js';
import type { Spent } from './budget-check.js';
import { Charges } from './charges.js';

/**
 * Spend per account, as stored in the ledger: this process's at once, that of others within half a second unless
 * reading is slow, or within ten seconds if nobody has asked for as long.
 */
export interface Spending {
  of(account: string, now: number): Spent;
  /** Adds the price of an event of `at` that the ledger has stored. */
  recordCharge(account: string, micros: number, at: number): void;
  close(): Promise<void>;
}

export interface SpendingOptions {
  /** Reads every account's spend in all and on the day of `at`. */
  readonly read: (at: number) => Promise<readonly Spend[]>;
  readonly calendar: Calendar;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: Pick<FollowLog, 'error'>;
  readonly onChange: () => void;
  readonly pollMs?: number;
  readonly unusedMs?: number;
}

/**
 * The pause between readings is at least this many times a reading's duration: ten thousand accounts take a tenth of a
 * second.
 */
const REST_FACTOR = 9;

/**
 * Spend that nobody has asked for within this time is read only as often: without budgets nobody does, and there may be
 * tens of thousands of accounts.
 */
const UNUSED_MS = 10_000;

const NOTHING: Spent = { total: 0, today: 0 };

/**
 * Follows the spend by reading it repeatedly, since others write the same ledger (commands, a second process). Charges
 * of this process after a reading started are added to it until the next reading includes them. A charge stored while a
 * reading runs may count twice until then, so that the error is on the safe side.
 */
export async function followSpending(options: SpendingOptions): Promise<Spending> {
  const { read, calendar, clock, log, onChange, pollMs = 250, unusedMs = UNUSED_MS } = options;
  let spent = new Map<string, Spent>();
  let date = '';
  /** Charges since the last reading began, and those before it that no completed reading includes. */
  let charges = new Charges();
  let chargesBefore = new Charges();
  let failing = false;
  let usedAt = performance.now();
  let readAt = performance.now();

  const refresh = async (): Promise<void> => {
    const at = clock();
    // These charges were stored before the reading, which will include them. They are kept until it completes.
    chargesBefore.addAll(charges);
    charges = new Charges();
    const rows = await read(at);
    spent = new Map(rows.map((row) => [accountKey(row), row]));
    date = calendar.dateOf(at);
    chargesBefore = new Charges();
    failing = false;
    onChange();
  };
  await refresh();
  const isUnused = (): boolean => performance.now() - usedAt > unusedMs;
  const refreshIfUsed = async (): Promise<void> => {
    if (isUnused() && performance.now() - readAt < unusedMs) return;
    await refresh();
    readAt = performance.now();
  };
  const polling = poll(refreshIfUsed, {
    everyMs: pollMs,
    restFactor: REST_FACTOR,
    onError(error) {
      if (!failing) log.error({ err: error }, 'campaigns: spend cannot be read; the last values read stay in use');
      failing = true;
    },
  });

  return {
    of(account, now) {
      const wasUnused = isUnused();
      usedAt = performance.now();
      if (wasUnused) polling.wake();
      const stored = spent.get(account) ?? NOTHING;
      const today = calendar.dateOf(now);
      const [later, earlier] = [charges.of(account, today), chargesBefore.of(account, today)];
      return {
        total: stored.total + later.total + earlier.total,
        // A day that has just begun has no stored spend yet.
        today: (today === date ? stored.today : 0) + later.today + earlier.today,
      };
    },
    recordCharge: (account, micros, at) => charges.add(account, micros, calendar.dateOf(at)),
    close: () => polling.close(),
  };
}

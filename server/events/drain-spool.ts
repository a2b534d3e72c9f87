import { poll, type Polling } from '../../platform/time/poll.js';
import { MINUTE } from '../../platform/time/durations.js';
import type { BudgetRules } from '../campaigns/budgets/budgets.js';
import { type Ledger, LedgerUnavailableError, type UsageEvent } from '../ledger/tables/ledger.js';
import type { EventSpool } from './event-spool.js';

export interface DrainSpoolOptions {
  readonly spool: EventSpool;
  readonly ledger: Pick<Ledger, 'record' | 'ignore'>;
  readonly budgets?: Pick<BudgetRules, 'recordEvent'>;
  readonly log: { info(details: object, message: string): void; error(details: object, message: string): void };
  readonly everyMs?: number;
  /** A monotonic clock in milliseconds. */
  readonly elapsed?: () => number;
}

const EVERY_MS = 1000;
const AT_ONCE = 500;
/** An impression delayed by the same fault arrives within this time or never. */
const IMPRESSION_WITHIN_MS = 10 * MINUTE;
/** Delay before a click whose impression is missing is tried again. */
const REST_MS = 10_000;

/**
 * Hands the spool's events to the ledger, with their original time, as soon as it can store them: impressions and views
 * first, since clicks may need them. A click whose impression is missing stays for ten minutes.
 */
export function drainSpool(options: DrainSpoolOptions): Polling {
  const { spool, ledger, budgets, log, everyMs = EVERY_MS, elapsed = () => performance.now() } = options;
  const missing = new Map<string, { readonly since: number; readonly tried: number }>();

  const handOver = async (event: UsageEvent): Promise<'taken' | 'missing' | 'away'> => {
    const { kind, id, claims, at } = event;
    try {
      const outcome = await ledger.record({ ...event, replayed: true });
      const reason = outcome.counted ? undefined : outcome.reason;
      if (reason === 'no-impression') {
        const tried = elapsed();
        const since = missing.get(id)?.since ?? tried;
        missing.set(id, { since, tried });
        if (tried - since < IMPRESSION_WITHIN_MS) return 'missing';
      }
      missing.delete(id);
      // An event that was already stored under this id is not a separate ignored event.
      const isFinal = reason === 'no-impression' || reason === 'too-soon' || reason === 'expired';
      if (isFinal && !spool.isIgnored(event)) ledger.ignore({ kind, reason, claims, at });
      budgets?.recordEvent(claims, kind, outcome, at);
      return 'taken';
    } catch (error) {
      if (!(error instanceof LedgerUnavailableError)) throw error;
      return 'away';
    }
  };
  const findDue = (): UsageEvent[] => {
    if (spool.waiting().length === 0) missing.clear();
    const due = spool.due();
    const latest = elapsed() - REST_MS;
    const clicks = due.filter(({ kind, id }) => kind === 'click' && (missing.get(id)?.tried ?? -Infinity) <= latest);
    return [...due.filter(({ kind }) => kind !== 'click'), ...clicks];
  };
  const handOverAll = async (): Promise<void> => {
    const due = findDue();
    let events = 0;
    for (let from = 0; from < due.length; from += AT_ONCE) {
      const some = due.slice(from, from + AT_ONCE);
      const results = await Promise.all(some.map(handOver));
      const taken = some.filter((_, place) => results[place] === 'taken');
      await spool.remove(taken);
      events += taken.length;
      if (results.includes('away')) break;
    }
    if (events > 0) log.info({ events }, 'events that waited for the ledger are stored');
  };
  return poll(handOverAll, {
    everyMs,
    onError: (error) => log.error({ err: error }, 'events that wait could not be handed over'),
  });
}

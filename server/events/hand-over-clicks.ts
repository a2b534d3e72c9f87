import { poll, type Polling } from '../../models/time/poll.js';
import type { BudgetRules } from '../campaigns/campaigns.js';
import { type Ledger, LedgerUnavailableError, type UsageEvent } from '../ledger/ledger.js';
import type { ClickSpool } from './click-spool.js';

export interface HandOverOptions {
  readonly spool: ClickSpool;
  readonly ledger: Pick<Ledger, 'record' | 'ignore'>;
  readonly budgets?: Pick<BudgetRules, 'recordEvent'>;
  readonly log: { info(details: object, message: string): void; error(details: object, message: string): void };
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly everyMs?: number;
}

const EVERY_MS = 1000;
const AT_ONCE = 500;
/** Raw events are kept for 31 days at least: what was counted before that is no longer known to have been. */
const MAX_AGE_MS = 31 * 24 * 3_600_000;

/** Gives the ledger what waits in the spool, with the time at which each click happened, as soon as it can store it. */
export function handOverClicks(options: HandOverOptions): Polling {
  const { spool, ledger, budgets, log, clock, everyMs = EVERY_MS } = options;

  /** @returns whether the ledger has it, or never will */
  const handOver = async (click: UsageEvent): Promise<boolean> => {
    const { kind, claims, at } = click;
    if (clock() - at > MAX_AGE_MS) {
      ledger.ignore({ kind, reason: 'lost', claims, at });
      return true;
    }
    try {
      const outcome = await ledger.record({ ...click, replayed: true });
      budgets?.recordEvent(claims, kind, outcome, at);
      return true;
    } catch (error) {
      if (!(error instanceof LedgerUnavailableError)) throw error;
      return false;
    }
  };
  const handOverAll = async (): Promise<void> => {
    let clicks = 0;
    for (let batch = spool.waiting(); batch.length > 0; batch = spool.waiting()) {
      const some = batch.slice(0, AT_ONCE);
      const taken = await Promise.all(some.map(handOver));
      await spool.remove(some.filter((_, place) => taken[place]));
      clicks += taken.filter(Boolean).length;
      if (!taken.every(Boolean)) break;
    }
    if (clicks > 0) log.info({ clicks }, 'clicks that waited for the ledger are stored');
  };
  return poll(handOverAll, {
    everyMs,
    onError: (error) => log.error({ err: error }, 'clicks that wait could not be handed over'),
  });
}

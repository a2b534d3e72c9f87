import type { Logger } from 'pino';
import { poll, type Polling } from '../../models/time/poll.js';
import type { EmbeddedLedger } from '../ledger/embedded-ledger.js';

export interface ClockWatchOptions {
  readonly ledger: Pick<EmbeddedLedger, 'now'>;
  /** The machine's, epoch milliseconds. */
  readonly clock: () => number;
  readonly log: Pick<Logger, 'warn' | 'info'>;
  readonly everyMs?: number;
}

/** The network corrects a clock by less than this. */
const BEHIND_MS = 60_000;

/** Warns an operator once when the machine's clock falls behind the ledger's, and says when it has caught up. */
export function watchClock({ ledger, clock, log, everyMs = 60_000 }: ClockWatchOptions): Polling {
  let isBehind = false;
  const look = (): void => {
    const behindMs = ledger.now() - clock();
    if (isBehind === behindMs > BEHIND_MS) return;
    isBehind = !isBehind;
    if (isBehind) log.warn({ behindMs }, 'the machine’s clock is behind the ledger’s, which goes on');
    else log.info('the machine’s clock has caught up with the ledger’s');
  };
  look();
  return poll(async () => look(), { everyMs, onError: () => undefined });
}

import type { Logger } from 'pino';
import { poll, type Polling } from '../../platform/time/poll.js';
import { MINUTE } from '../../platform/time/durations.js';
import type { ServerLedger } from '../ledger/server-ledger.js';
import type { ReadinessCheck } from './readiness.js';

export interface ClockWatchOptions {
  readonly ledger: Pick<ServerLedger, 'now' | 'ahead'>;
  /** The machine's clock, epoch milliseconds. */
  readonly clock: () => number;
  readonly log: Pick<Logger, 'warn' | 'info'>;
  readonly everyMs?: number;
}

/** Network time synchronisation corrects a clock by less than this. */
const BEHIND_MS = 60_000;
const AHEAD_MS = 10 * MINUTE;

type State = 'right' | 'behind' | 'ahead';

/**
 * Logs a warning once when the machine's clock falls behind the ledger's or jumps ahead, and logs when they agree
 * again.
 */
export function watchClock({ ledger, clock, log, everyMs = 60_000 }: ClockWatchOptions): Polling {
  let state: State = 'right';
  const look = (): void => {
    const behindMs = ledger.now() - clock();
    const aheadMs = ledger.ahead();
    const before = state;
    state = behindMs > BEHIND_MS ? 'behind' : aheadMs > AHEAD_MS ? 'ahead' : 'right';
    if (state === before) return;
    if (state === 'behind') log.warn({ behindMs }, 'the machine’s clock is behind the ledger’s, which keeps advancing');
    else if (state === 'ahead')
      log.warn({ aheadMs }, 'the machine’s clock jumped ahead, and ads and events are dated by it');
    else log.info('the machine’s clock and the ledger’s agree again');
  };
  look();
  return poll(async () => look(), { everyMs, onError: () => undefined });
}

/** Checks that the machine's clock did not jump ahead: events dated by it could be billed in the wrong month. */
export function clockCheck(ledger: Pick<ServerLedger, 'ahead'>): ReadinessCheck {
  return {
    name: 'clock',
    fault() {
      const ahead = ledger.ahead();
      if (ahead <= AHEAD_MS) return null;
      return `the machine’s clock jumped ahead by ${Math.floor(ahead / MINUTE)} minutes: set it, or restart where it is right`;
    },
  };
}

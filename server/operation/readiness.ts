import { statfs } from 'node:fs/promises';
import type { EncoderPool } from '../../models/encoder/pool.js';
import type { ServerLedger } from '../ledger/server-ledger.js';
import type { LiveIndex } from '../live-index/live-index.js';
import type { Logger } from 'pino';
import { loadGateModel } from '../../models/safety/gate-model.js';
import { isForOtherEncoder } from '../../models/scoring/decision-model.js';

/** Something that must hold before requests should be sent here. */
export interface ReadinessCheck {
  readonly name: string;
  /** Why it does not hold, in words; null: it holds. */
  readonly fault: () => Promise<string | null> | string | null;
}

/** A catalogue is live. That a newer one was refused is no reason to take the server away: the old one answers. */
export function indexCheck(index: Pick<LiveIndex, 'state'>): ReadinessCheck {
  return {
    name: 'catalogue',
    fault() {
      const { live, loading, refused } = index.state();
      if (live !== null) return null;
      if (refused !== null) return `the published one was refused: ${refused.reason}`;
      return loading === null ? 'none is published yet' : 'it is being loaded';
    },
  };
}

/** A thread has the model: one that died is started again, every second where its memory or files are missing. */
export function encoderCheck(encoder: Pick<EncoderPool, 'ready'>): ReadinessCheck {
  return { name: 'encoder', fault: () => (encoder.ready > 0 ? null : 'no thread has loaded the model') };
}

/** Events and decisions could be written last. */
export function ledgerCheck(ledger: Pick<ServerLedger, 'fault'>): ReadinessCheck {
  return { name: 'ledger', fault: () => ledger.fault?.message ?? null };
}

/** A node is told to be out of step after so long without its database, milliseconds. */
const SILENT_MS = 10_000;

/** The database that nodes share has answered lately, and was copied: what others change is known here. */
export function databaseCheck(nodes: { silentMs(): number }): ReadinessCheck {
  return {
    name: 'database',
    fault() {
      const silent = nodes.silentMs();
      return silent < SILENT_MS
        ? null
        : `it has not answered, or what it has could not be copied, for ${Math.round(silent / 1000)} s; the log says why`;
    },
  };
}

/** Less than this and SQLite may fail to write its log. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;

/** There is room for the ledger to write to. */
export function diskCheck(directory: string): ReadinessCheck {
  return {
    name: 'disk',
    async fault() {
      try {
        const { bavail, bsize } = await statfs(directory);
        const free = bavail * bsize;
        return free < MIN_FREE_BYTES ? `only ${Math.floor(free / 1024 / 1024)} MiB free below DATA_DIR` : null;
      } catch (error) {
        return (error as Error).message;
      }
    },
  };
}

/** Warns an operator who has set another encoder of what was fitted for the one before and is therefore ignored. */
export function warnOfOtherEncoder(encoderFingerprint: string, dataDir: string, log: Logger): void {
  if (loadGateModel(encoderFingerprint) === null) {
    log.warn('MODEL has no gate for sensitive conversations: only explicit words are recognised');
  }
  if (isForOtherEncoder(dataDir, encoderFingerprint)) {
    log.warn('DATA_DIR/decision.json was fitted for another encoder and is ignored; run: npm run calibrate');
  }
}

import { statfs } from 'node:fs/promises';
import type { EncoderPool } from '../../models/encoder/pool.js';
import type { ServerLedger } from '../ledger/server-ledger.js';
import type { LiveIndex } from '../live-index/live-index.js';
import type { Logger } from 'pino';
import { loadGateModel } from '../../models/safety/gate-model.js';
import { isForOtherEncoder } from '../../models/scoring/decision-model.js';

/** A condition that must hold before requests should be sent to this server. */
export interface ReadinessCheck {
  readonly name: string;
  /** Returns the reason why it does not hold; null: it holds. */
  readonly fault: () => Promise<string | null> | string | null;
}

/**
 * Names of the checks without which this server cannot serve matches. The others may fail on all nodes together (a
 * shared database that is away), or only keep events from being counted: a proxy that then sent nothing here would also
 * end the ads.
 */
export const TRAFFIC_CHECKS: readonly string[] = ['server', 'catalogue', 'encoder'];

/**
 * Checks that a catalogue is live. A refused newer catalogue does not make the server unready: the previous one keeps
 * serving.
 */
export function indexCheck(index: Pick<LiveIndex, 'state'>): ReadinessCheck {
  return {
    name: 'catalogue',
    fault() {
      const { live, loading, refused } = index.state();
      if (live !== null) return null;
      if (refused !== null) return `the published snapshot was refused: ${refused.reason}`;
      return loading === null ? 'none is published yet' : 'it is being loaded';
    },
  };
}

/**
 * Checks that a thread has loaded the model. A thread that died is restarted, every second if its memory or files are
 * missing.
 */
export function encoderCheck(encoder: Pick<EncoderPool, 'ready'>): ReadinessCheck {
  return { name: 'encoder', fault: () => (encoder.ready > 0 ? null : 'no thread has loaded the model') };
}

/** Checks that the last write of events and decisions succeeded. */
export function ledgerCheck(ledger: Pick<ServerLedger, 'fault'>): ReadinessCheck {
  return { name: 'ledger', fault: () => ledger.fault?.message ?? null };
}

/** A node is unready after this long without its database, milliseconds. */
const SILENT_MS = 10_000;

/** Checks that the shared database answered recently and was copied, so that this node knows what others changed. */
export function databaseCheck(nodes: { silentMs(): number }): ReadinessCheck {
  return {
    name: 'database',
    fault() {
      const silent = nodes.silentMs();
      return silent < SILENT_MS
        ? null
        : `no complete copy of the shared data for ${Math.round(silent / 1000)} s; see the log`;
    },
  };
}

/** With less free space than this, SQLite may fail to write its log. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;

/** Checks that the ledger's disk has free space. */
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

/**
 * Requires that the bundled encoders have their gates, which are found by the digest of the encoders' files.
 *
 * @throws Error if one has none: the server would show ads in conversations of distress that name nothing explicitly
 */
export function requireGates({ fingerprint, multilingual }: Pick<EncoderPool, 'fingerprint' | 'multilingual'>): void {
  for (const each of [fingerprint, ...(multilingual === undefined ? [] : [multilingual.fingerprint])]) {
    if (loadGateModel(each) !== null) continue;
    throw new Error(
      `a bundled encoder (${each}) does not match its gate: files below models/ were changed. Unpack the release, or ` +
        'check the files out, again',
    );
  }
}

/**
 * Warns after a change of encoder: about a missing sensitivity gate, and about calibration fitted for another encoder,
 * which is ignored.
 */
export function warnOfOtherEncoder(encoderFingerprint: string, dataDir: string, log: Logger): void {
  if (loadGateModel(encoderFingerprint) === null) {
    log.warn('MODEL has no gate for sensitive conversations: only explicit words are recognised');
  }
  if (isForOtherEncoder(dataDir, encoderFingerprint)) {
    log.warn('DATA_DIR/decision.json was fitted for another encoder and is ignored; run: npm run calibrate');
  }
}

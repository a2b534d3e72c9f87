import type { Logger } from 'pino';
import { loadGateModel } from '../../models/safety/gate-model.js';
import { isForOtherEncoder } from '../../models/scoring/decision-model.js';

/** Warns an operator who has set another encoder of what was fitted for the one before and is therefore ignored. */
export function warnOfOtherEncoder(encoderFingerprint: string, dataDir: string, log: Logger): void {
  if (loadGateModel(encoderFingerprint) === null) {
    log.warn('MODEL has no gate for sensitive conversations: only explicit words are recognised');
  }
  if (isForOtherEncoder(dataDir, encoderFingerprint)) {
    log.warn('DATA_DIR/decision.json was fitted for another encoder and is ignored; run: npm run calibrate');
  }
}

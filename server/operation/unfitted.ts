import type { Logger } from 'pino';
import { loadGateModel } from '../../models/safety/gate-model.js';
import { isPassedOver } from '../../models/scoring/decision-model.js';

/** Tells whoever has set another encoder what was fitted for the one before and so does not count. */
export function warnOfUnfitted(encoderFingerprint: string, dataDir: string, log: Logger): void {
  if (loadGateModel(encoderFingerprint) === null) {
    log.warn('MODEL has no gate for sensitive conversations: only what names them in so many words is heard');
  }
  if (isPassedOver(dataDir, encoderFingerprint)) {
    log.warn('DATA_DIR/decision.json was fitted for another encoder and is passed over; run: npm run calibrate');
  }
}

import { createEncoder, type EncoderPool } from '../../models/encoder/pool.js';
import { PROFILES, readProfile } from '../../models/encoder/profile.js';

/** Opens the bundled encoder, with one worker. */
export function bundledEncoder(): Promise<EncoderPool> {
  return createEncoder(readProfile(`${PROFILES.fast}?languages=en`, ''), { workers: 1 });
}

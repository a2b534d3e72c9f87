import { createEncoder, type EncoderPool } from '../../models/encoder/pool.js';
import { BUNDLED_MODEL, readProfile } from '../../models/encoder/profile.js';

/** The bundled encoder, with one worker. */
export function bundledEncoder(): Promise<EncoderPool> {
  return createEncoder(readProfile(BUNDLED_MODEL, ''), { workers: 1 });
}

import path from 'node:path';
import { fingerprintOf } from '../models/encoder/fingerprint.js';
import { createEncoder } from '../models/encoder/pool.js';
import { readProfile } from '../models/encoder/profile.js';
import type { EncoderSource } from './make-vectors.js';
import { SettingsError, type IndexerSettings } from './settings.js';

/** The encoder that the settings name. @throws SettingsError when there is none */
export async function encoderSource({ model, dataDir, workers }: IndexerSettings): Promise<EncoderSource> {
  let profile;
  try {
    profile = readProfile(model, path.join(dataDir, 'models'));
  } catch (error) {
    throw new SettingsError((error as Error).message);
  }
  return {
    name: path.basename(profile.name),
    fingerprint: await fingerprintOf(profile),
    dims: profile.dims,
    workers,
    open: () => createEncoder(profile, { workers }),
  };
}

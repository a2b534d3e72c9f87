import path from 'node:path';
import type { Encoder } from '../models/encoder/encoder.js';
import { fingerprintOf } from '../models/encoder/fingerprint.js';
import { createEncoder } from '../models/encoder/pool.js';
import { catalogueDims, modelOf, readProfile } from '../models/encoder/profile.js';
import { SettingsError, type SharedConfig } from '../models/command-line/settings.js';

/** Which encoder makes the vectors; loaded only when a text is new to it. */
export interface EncoderSource {
  readonly name: string;
  readonly fingerprint: string;
  readonly dims: number;
  readonly workers: number;
  open(): Promise<Encoder>;
}

/** The encoder that the settings name. @throws SettingsError when there is none */
export async function encoderSource(config: SharedConfig): Promise<EncoderSource> {
  const { dataDir, workers } = config;
  let profile;
  try {
    profile = readProfile(modelOf(config), path.join(dataDir, 'models'));
  } catch (error) {
    throw new SettingsError([(error as Error).message]);
  }
  return {
    name: path.basename(profile.name),
    fingerprint: await fingerprintOf(profile),
    dims: catalogueDims(profile),
    workers,
    open: () => createEncoder(profile, { workers }),
  };
}

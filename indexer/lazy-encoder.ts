import path from 'node:path';
import type { Encoder } from '../models/encoder/encoder.js';
import { fingerprintOf } from '../models/encoder/fingerprint.js';
import { createEncoder } from '../models/encoder/pool.js';
import { catalogueDims, type EncoderProfile, modelOf, readProfile } from '../models/encoder/profile.js';
import { SettingsError } from '../platform/command-line/settings.js';
import { type SharedConfig } from '../models/shared-settings.js';

/** The encoder that makes the vectors. It is loaded only if a text is new to it. */
export interface LazyEncoder {
  readonly name: string;
  readonly fingerprint: string;
  readonly dims: number;
  /** The most threads that may embed. */
  readonly workers: number;
  /** The encoder for other languages; null: there is none. */
  readonly multilingual: LazyEncoder | null;
  /** Starts an encoder with this many threads. */
  open(threads: number): Promise<Encoder>;
}

/** Returns the encoder that the settings name. @throws SettingsError if there is none */
export async function lazyEncoder(config: SharedConfig): Promise<LazyEncoder> {
  let profile;
  try {
    profile = readProfile(modelOf(config), path.join(config.dataDir, 'models'));
  } catch (error) {
    throw new SettingsError([(error as Error).message]);
  }
  return sourceOf(profile, config.workers);
}

async function sourceOf({ multilingual, ...profile }: EncoderProfile, workers: number): Promise<LazyEncoder> {
  return {
    name: path.basename(profile.directory),
    fingerprint: await fingerprintOf({ ...profile, multilingual: null }),
    dims: catalogueDims({ ...profile, multilingual: null }),
    workers,
    multilingual: multilingual && (await sourceOf(multilingual, workers)),
    open: (threads) => createEncoder({ ...profile, multilingual: null }, { workers: threads }),
  };
}

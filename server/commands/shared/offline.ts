import { join } from 'node:path';
import { UsageError } from '../../../platform/command-line/run-command.js';
import { createEncoder } from '../../../models/encoder/pool.js';
import type { Encoder } from '../../../models/encoder/encoder.js';
import { modelOf, type ModelSettings, readProfile, type EncoderProfile } from '../../../models/encoder/profile.js';
import { listSnapshots } from '../../../models/snapshot/kept-snapshots.js';
import { snapshotDirectory } from '../../../models/snapshot/layout.js';
import { loadSnapshot, type LoadedSnapshot } from '../../../models/snapshot/load-snapshot.js';
import { readPointer } from '../../../models/snapshot/pointer.js';
import type { Config } from '../../config/config.js';

/** The parts of a decision that a command needs without a running server: the same encoder and snapshots. */
export interface Offline {
  readonly profile: EncoderProfile;
  readonly encoder: Encoder;
  /**
   * Loads a kept snapshot, by default the live one. @throws UsageError when there is no such snapshot,
   * SnapshotFaultError when it is damaged
   */
  snapshot(id?: string): Promise<LoadedSnapshot>;
  close(): Promise<void>;
}

/** Loads the encoder. @throws Error that says what to do when the model cannot be loaded */
export async function openOffline({
  dataDir,
  workers,
  ...settings
}: Pick<Config, 'dataDir' | 'workers'> & ModelSettings): Promise<Offline> {
  const profile = readProfile(modelOf(settings), join(dataDir, 'models'));
  const encoder = await createEncoder(profile, { workers, queueLimit: Infinity });
  return {
    profile,
    encoder,
    async snapshot(id) {
      return loadSnapshot(snapshotDirectory(dataDir, await knownId(dataDir, id)), encoder);
    },
    close: () => encoder.close(),
  };
}

async function knownId(dataDir: string, id: string | undefined): Promise<string> {
  const [live] = await readPointer(dataDir);
  if (live === undefined) throw new Error(`no catalogue is published in ${dataDir}; make one: npm run index -- FEED`);
  if (id === undefined || id === 'live') return live;
  const kept = (await listSnapshots(dataDir)).map((snapshot) => snapshot.id);
  if (kept.includes(id)) return id;
  throw new UsageError(`there is no snapshot "${id}"; kept snapshots: ${kept.join(', ')} (npm run snapshots)`);
}

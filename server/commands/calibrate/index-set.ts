import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Encoder } from '../../../models/encoder/encoder.js';
import type { EncoderProfile } from '../../../models/encoder/profile.js';
import { snapshotDirectory } from '../../../models/snapshot/layout.js';
import { loadSnapshot, type LoadedSnapshot } from '../../../models/snapshot/load-snapshot.js';
import { readPointer } from '../../../models/snapshot/pointer.js';

// The indexer runs in its own process: it is not part of the server.
const indexer = fileURLToPath(new URL('../../../indexer/main.js', import.meta.url));

/**
 * Indexes a set's ads with the real indexer and loads the snapshot as the server does. Reuses embeddings of earlier
 * runs.
 *
 * @param dataDir where the set's snapshots are kept between runs
 * @param model the encoder's MODEL setting, by its directory (`byDirectory`)
 */
export async function indexSet(
  directory: string,
  dataDir: string,
  encoder: Encoder,
  model: string,
): Promise<LoadedSnapshot> {
  const feed = path.join(directory, 'creatives.jsonl');
  const flags = ['--data-dir', dataDir, '--allow-shrink', '--model', model];
  const { status, stderr } = spawnSync(process.execPath, [indexer, feed, ...flags], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`indexing ${feed} failed:\n${stderr}`);
  const [id] = await readPointer(dataDir);
  return loadSnapshot(snapshotDirectory(dataDir, id!), encoder);
}

/**
 * Returns a MODEL setting that is valid for any DATA_DIR: the name of a fetched model only works with the DATA_DIR that
 * it was fetched into.
 */
export function byDirectory(setting: string, { directory }: EncoderProfile): string {
  return setting.replace(/^[^?]*/, () => directory);
}

import type { Creative } from '../schema/creative.js';
import { snapshotDirectory } from './layout.js';
import { readManifest } from './manifest.js';
import { readStoredFile } from './stored-file.js';

/** The creatives of a kept snapshot, without loading its vectors. @throws SnapshotFaultError when it is damaged */
export async function readCreatives(dataDir: string, id: string): Promise<readonly Creative[]> {
  const directory = snapshotDirectory(dataDir, id);
  const bytes = await readStoredFile(directory, await readManifest(directory), 'creatives.jsonl');
  const lines = Buffer.from(bytes).toString('utf8').split('\n');
  // Each line ends with a newline, so the last one is empty; that of an empty catalogue is its only one.
  return lines.filter(Boolean).map((line) => JSON.parse(line) as Creative);
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Creative } from '../schema/creative.js';
import { snapshotDirectory } from './layout.js';
import { readManifest } from './manifest.js';
import { readStoredFile } from './stored-file.js';

/** Creatives by snapshot id. */
export type KnownCreatives = ReadonlyMap<string, readonly Creative[]>;

/**
 * Reads the creatives of a kept snapshot without loading its vectors.
 *
 * @throws SnapshotFaultError when the snapshot is damaged
 */
export async function readCreatives(dataDir: string, id: string): Promise<readonly Creative[]> {
  const directory = snapshotDirectory(dataDir, id);
  const bytes = await readStoredFile(directory, await readManifest(directory), 'creatives.jsonl');
  const creatives: Creative[] = [];
  for await (const line of linesOf(bytes)) creatives.push(JSON.parse(line) as Creative);
  return creatives;
}

const LINE_FEED = 10;
/** Lines per turn of the event loop: about a millisecond of work. */
const BATCH = 100;

/** Yields the lines of `creatives.jsonl` one by one: the whole file may exceed the maximum length of a string. */
export async function* linesOf(content: ArrayBuffer | Uint8Array): AsyncGenerator<string> {
  const bytes =
    content instanceof ArrayBuffer
      ? Buffer.from(content)
      : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  let lines = 0;
  for (let from = 0; from < bytes.length;) {
    if (lines++ % BATCH === 0) await nextTurn();
    const found = bytes.indexOf(LINE_FEED, from);
    const end = found < 0 ? bytes.length : found;
    yield bytes.toString('utf8', from, end);
    from = end + 1;
  }
}

import { open } from 'node:fs/promises';
import type { ExpectedEncoder } from '../../models/snapshot/stored-creatives.js';
import { inBatches } from '../../platform/time/in-batches.js';
import { listEmbedded } from './embedded-files.js';
import { decodeRecord, keyOf, recordBytes, recordKey } from './embedded-record.js';

/** How much of a file is in memory at a time. */
const BLOCK_BYTES = 1 << 20;

/**
 * Looks up which texts an interrupted run has embedded with the same encoder, whichever source it was for.
 *
 * @param onFault called for a file or directory that cannot be read; its texts are embedded again
 * @returns vectors by text
 */
export async function readEmbedded(
  dataDir: string,
  encoder: ExpectedEncoder,
  texts: readonly string[],
  onFault: (fault: Error) => void,
): Promise<ReadonlyMap<string, Float32Array>> {
  const found = new Map<string, Float32Array>();
  const listed = await listEmbedded(dataDir).catch((error: Error) => (onFault(error), []));
  const files = listed.filter(({ fingerprint }) => fingerprint === encoder.fingerprint);
  if (files.length === 0 || texts.length === 0) return found;
  const wanted = new Map<string, string>();
  await inBatches(texts, (text) => void wanted.set(recordKey(text), text));
  for (const { file } of files) {
    try {
      for await (const record of recordsOf(file, encoder)) {
        const text = wanted.get(keyOf(record));
        const vector = text === undefined ? null : decodeRecord(encoder, record);
        if (vector === null) continue;
        wanted.delete(keyOf(record));
        found.set(text!, vector);
      }
    } catch (error) {
      onFault(new Error(`${file}: ${(error as Error).message}`, { cause: error }));
    }
  }
  return found;
}

/** Yields the records of a file; the memory of each is reused. A torn last record is left out. */
async function* recordsOf(file: string, encoder: ExpectedEncoder): AsyncGenerator<Buffer> {
  const length = recordBytes(encoder);
  const block = Buffer.alloc(Math.max(1, Math.floor(BLOCK_BYTES / length)) * length);
  const handle = await open(file, 'r');
  try {
    for (let at = 0; ;) {
      const { bytesRead } = await handle.read(block, 0, block.length, at);
      const whole = bytesRead - (bytesRead % length);
      if (whole === 0) return;
      for (let from = 0; from < whole; from += length) yield block.subarray(from, from + length);
      at += whole;
    }
  } finally {
    await handle.close();
  }
}

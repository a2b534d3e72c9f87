import { type FileHandle, mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import type { ExpectedEncoder } from '../../models/snapshot/stored-creatives.js';
import { syncPath } from '../../platform/files/durable.js';
import { embeddedFile } from './embedded-files.js';
import { encodeRecord, recordBytes } from './embedded-record.js';

/** Vectors that are written and synced together: at most as many are lost when the process is killed. */
const BATCH = 100;

/** Stores the vectors of a run as they are made, so that a later run can resume after this one is killed. */
export interface EmbeddedLog {
  /** Resolves once the log can take the next vector: while a full batch is written, its last caller waits. */
  add(text: string, vector: Float32Array): Promise<void>;
  /** Writes what is left. The file stays until the source's next publication. */
  close(): Promise<void>;
}

/**
 * Opens the log of a source's run. A log that cannot be written is given up: the run goes on without it.
 *
 * @param onFault called at most once
 */
export async function openEmbeddedLog(
  dataDir: string,
  source: string,
  encoder: ExpectedEncoder,
  onFault: (fault: Error) => void,
): Promise<EmbeddedLog> {
  let batch: Buffer[] = [];
  let handle = await openAtRecord(embeddedFile(dataDir, source, encoder), recordBytes(encoder)).catch(giveUp);
  let written = Promise.resolve();

  return {
    async add(text, vector) {
      if (handle === null) return;
      batch.push(encodeRecord(encoder, text, vector));
      if (batch.length >= BATCH) await flush();
    },
    async close() {
      await flush();
      const opened = handle;
      handle = null;
      await opened?.close().catch(giveUp);
    },
  };

  function flush(): Promise<void> {
    const records = Buffer.concat(batch);
    batch = [];
    written = written.then(() => write(records));
    return written;
  }

  async function write(records: Buffer): Promise<void> {
    if (handle === null || records.length === 0) return;
    const opened = handle;
    try {
      await opened.appendFile(records);
      await opened.datasync();
    } catch (error) {
      // Part of a record may be in the file: what followed it would not be found.
      handle = giveUp(error);
      await opened.close().catch(() => {});
    }
  }

  function giveUp(error: unknown): null {
    onFault(new Error(`vectors cannot be stored for a later run (${(error as Error).message})`, { cause: error }));
    return null;
  }
}

/** Opens a file to append to, without the torn record that a killed run may have left at its end. */
async function openAtRecord(file: string, length: number): Promise<FileHandle | null> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const handle = await open(file, 'a', 0o600);
  try {
    const { size } = await handle.stat();
    if (size === 0) await syncPath(path.dirname(file));
    if (size % length > 0) await handle.truncate(size - (size % length));
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

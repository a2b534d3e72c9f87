import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Manifest } from './manifest.js';
import { readFault, SnapshotFaultError } from './snapshot-fault.js';
import type { SnapshotFile } from './layout.js';

// Files are read in chunks, so that a server goes on serving while it loads a snapshot.
const CHUNK_BYTES = 1 << 20;

/** A file's length and SHA-256, as in the manifest. */
interface Measure {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Computes length and SHA-256 of a file in one pass.
 *
 * @param use called with each chunk and its offset; the chunk's memory is reused
 */
export async function measureFile(file: string, use?: (chunk: Uint8Array, at: number) => void): Promise<Measure> {
  const hash = createHash('sha256');
  let bytes = 0;
  const handle = await open(file, 'r');
  try {
    const buffer = new Uint8Array(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES);
      if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
      const chunk = buffer.subarray(0, bytesRead);
      hash.update(chunk);
      use?.(chunk, bytes);
      bytes += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

/**
 * Reads one file of a snapshot and compares length and checksum with the manifest.
 *
 * @returns its bytes in a buffer of their own
 * @throws SnapshotFaultError
 */
export function readStoredFile(directory: string, manifest: Manifest, file: SnapshotFile): Promise<ArrayBuffer> {
  return readInto((bytes) => new ArrayBuffer(bytes), directory, manifest, file);
}

/** Reads a file as `readStoredFile` does, into memory shared with other threads. @throws SnapshotFaultError */
export function readSharedFile(directory: string, manifest: Manifest, file: SnapshotFile): Promise<SharedArrayBuffer> {
  return readInto((bytes) => new SharedArrayBuffer(bytes), directory, manifest, file);
}

async function readInto<M extends ArrayBuffer | SharedArrayBuffer>(
  memory: (bytes: number) => M,
  directory: string,
  manifest: Manifest,
  file: SnapshotFile,
): Promise<M> {
  const declared = declaredOf(manifest, file);
  // Allocates no more than the file's size: a damaged manifest may declare more than fits in memory.
  const there = await stat(path.join(directory, file)).catch(() => null);
  const content = memory(Math.min(declared.bytes, there?.size ?? 0));
  const found = await readMeasured(directory, file, (chunk, at) => {
    // Views only the chunk: a byte view of more than four gigabytes is not possible.
    if (at + chunk.length <= content.byteLength) new Uint8Array(content, at, chunk.length).set(chunk);
  });
  compare(manifest.id, file, declared, found);
  return content;
}

/** Compares a file with the manifest without keeping its content. @throws SnapshotFaultError */
export async function verifyStoredFile(directory: string, manifest: Manifest, file: SnapshotFile): Promise<void> {
  compare(manifest.id, file, declaredOf(manifest, file), await readMeasured(directory, file));
}

function declaredOf({ id, files }: Manifest, file: SnapshotFile): Measure {
  const declared = files[file];
  if (declared === undefined) throw new SnapshotFaultError(id, `files.${file}`, 'is missing');
  return declared;
}

async function readMeasured(
  directory: string,
  file: SnapshotFile,
  use?: (chunk: Uint8Array, at: number) => void,
): Promise<Measure> {
  try {
    return await measureFile(path.join(directory, file), use);
  } catch (error) {
    throw readFault(path.basename(directory), file, error);
  }
}

function compare(id: string, file: SnapshotFile, expected: Measure, found: Measure): void {
  if (found.bytes !== expected.bytes) {
    const how = found.bytes < expected.bytes ? 'is cut short' : 'is too long';
    throw new SnapshotFaultError(id, file, `${how}: ${found.bytes} bytes, the manifest says ${expected.bytes}`);
  }
  if (found.sha256 !== expected.sha256) {
    throw new SnapshotFaultError(id, file, 'was altered: its SHA-256 is not the one in the manifest');
  }
}

import type { IndexFiles } from './layout.js';
import type { Manifest } from './manifest.js';
import { SnapshotFaultError } from './snapshot-fault.js';
import { readSharedFile, readStoredFile } from './stored-file.js';

/**
 * Reads the vectors of one encoder.
 *
 * @returns the vectors, row-major: label × dims; in shared memory if the catalogue is large
 * @throws SnapshotFaultError
 */
export async function readVectors(
  directory: string,
  manifest: Manifest,
  dims: number,
  files: IndexFiles,
): Promise<Float32Array> {
  checkLength(manifest, dims, files);
  // V8 does not count shared memory when it decides to collect garbage, so it is used only when another thread needs
  // it.
  const read = usesUsearch(manifest, files) ? readSharedFile : readStoredFile;
  return new Float32Array(await read(directory, manifest, files.vectors));
}

/** Returns whether a snapshot has usearch graphs. */
export function usesUsearch({ files: there }: Manifest, files: IndexFiles): boolean {
  return there[files.largeGraph] !== undefined;
}

/** Checks that the manifest declares as many vectors as creatives. @throws SnapshotFaultError when it does not */
export function checkLength({ id, counts, files }: Manifest, dims: number, { vectors }: IndexFiles): void {
  const expected = counts.creatives * dims * Float32Array.BYTES_PER_ELEMENT;
  const bytes = files[vectors]?.bytes ?? 0;
  if (bytes === expected) return;
  const reason = `is ${counts.creatives}, which requires ${expected} bytes of ${vectors}, not ${bytes}`;
  throw new SnapshotFaultError(id, 'counts.creatives', reason);
}

import type { IndexFiles } from './layout.js';
import type { Manifest } from './manifest.js';
import { SnapshotFaultError } from './snapshot-fault.js';
import { readSharedFile, readStoredFile } from './stored-file.js';

/** @returns row-major: label × dims; of a large catalogue over shared memory @throws SnapshotFaultError */
export async function readVectors(
  directory: string,
  manifest: Manifest,
  dims: number,
  files: IndexFiles,
): Promise<Float32Array> {
  checkLength(manifest, dims, files);
  // Shared memory counts for nothing when V8 decides to collect: none where no thread needs it.
  const read = isLarge(manifest, files) ? readSharedFile : readStoredFile;
  return new Float32Array(await read(directory, manifest, files.vectors));
}

/** Whether a snapshot's graph is usearch's. */
export function isLarge({ files: there }: Manifest, files: IndexFiles): boolean {
  return there[files.largeGraph] !== undefined;
}

/** Whether the manifest promises as many vectors as creatives. @throws SnapshotFaultError */
export function checkLength({ id, counts, files }: Manifest, dims: number, { vectors }: IndexFiles): void {
  const expected = counts.creatives * dims * Float32Array.BYTES_PER_ELEMENT;
  const bytes = files[vectors]?.bytes ?? 0;
  if (bytes === expected) return;
  const reason = `is ${counts.creatives}, which asks for ${expected} bytes of ${vectors}, not ${bytes}`;
  throw new SnapshotFaultError(id, 'counts.creatives', reason);
}

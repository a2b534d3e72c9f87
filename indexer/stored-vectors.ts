import { creativeText } from '../models/encoder/embed-creative.js';
import type { Manifest } from '../models/snapshot/manifest.js';
import { SnapshotFaultError } from '../models/snapshot/snapshot-fault.js';
import { type KeptSnapshot, listSnapshots } from '../models/snapshot/kept-snapshots.js';
import { FIRST_INDEX, type IndexFiles, snapshotDirectory } from '../models/snapshot/layout.js';
import { loadCatalogue, type StoredCatalogue } from '../models/snapshot/load-snapshot.js';
import { readVectors } from '../models/snapshot/read-vectors.js';
import type { ExpectedEncoder } from '../models/snapshot/stored-creatives.js';

/** Called for a kept snapshot that cannot be used. */
export type OnFault = (fault: SnapshotFaultError) => void;

/**
 * Looks up which texts were embedded before with the same encoder: in the live snapshot, then in the others that
 * are kept, until every text is found.
 *
 * @param live what is live, where it could be read
 * @param files which of a snapshot's vectors are the encoder's
 * @param onFault what such a snapshot held is embedded again
 * @returns vectors by the text that they stand for
 */
export async function findStoredVectors(
  dataDir: string,
  encoder: ExpectedEncoder,
  texts: Iterable<string>,
  live: StoredCatalogue | null,
  files: IndexFiles,
  onFault: OnFault,
): Promise<ReadonlyMap<string, Float32Array>> {
  const wanted = new Set(texts);
  const byText = new Map<string, Float32Array>();
  for (const kept of await listSnapshots(dataDir)) {
    if (wanted.size === 0) break;
    if (kept.manifest instanceof SnapshotFaultError || !isMadeBy(encoder, kept.manifest, files)) continue;
    const catalogue = kept.live ? live : await loadKept(dataDir, kept, onFault);
    const vectors = catalogue && (await vectorsOf(catalogue, dataDir, encoder, files, onFault));
    if (!vectors) continue;
    for (const [label, creative] of catalogue.creatives.entries()) {
      const text = creativeText(creative);
      if (!wanted.delete(text)) continue;
      byText.set(text, vectors.subarray(label * encoder.dims, (label + 1) * encoder.dims));
    }
  }
  return byText;
}

/** Whether a snapshot has this encoder's vectors, and in these files. */
export function isMadeBy(encoder: ExpectedEncoder, manifest: Manifest, files: IndexFiles): boolean {
  const made = files === FIRST_INDEX ? manifest.encoder : manifest.multilingual;
  return made?.fingerprint === encoder.fingerprint && made.dims === encoder.dims;
}

async function vectorsOf(
  { id, manifest, vectors }: StoredCatalogue,
  dataDir: string,
  { dims }: ExpectedEncoder,
  files: IndexFiles,
  onFault: OnFault,
): Promise<Float32Array | null> {
  if (files === FIRST_INDEX) return vectors;
  try {
    return await readVectors(snapshotDirectory(dataDir, id), manifest, dims, files);
  } catch (error) {
    if (!(error instanceof SnapshotFaultError)) throw error;
    onFault(error);
    return null;
  }
}

/** Loads what a kept snapshot holds, with the encoder that it was made with; null where it cannot be read. */
export async function loadKept(
  dataDir: string,
  { id, manifest }: KeptSnapshot,
  onFault: OnFault,
): Promise<StoredCatalogue | null> {
  try {
    if (manifest instanceof SnapshotFaultError) throw manifest;
    return await loadCatalogue(snapshotDirectory(dataDir, id), manifest.encoder);
  } catch (error) {
    if (!(error instanceof SnapshotFaultError)) throw error;
    onFault(error);
    return null;
  }
}

import { creativeText } from '../models/encoder/embed-creative.js';
import { SnapshotFaultError } from '../models/snapshot/manifest.js';
import { type KeptSnapshot, listSnapshots } from '../models/snapshot/kept-snapshots.js';
import { snapshotDirectory } from '../models/snapshot/layout.js';
import { type ExpectedEncoder, loadCatalogue, type StoredCatalogue } from '../models/snapshot/load-snapshot.js';

/** Called for a kept snapshot that cannot be used. */
export type OnFault = (fault: SnapshotFaultError) => void;

/**
 * Looks up which texts were embedded before with the same encoder: in the live snapshot, then in the others that
 * are kept, until every text is found.
 *
 * @param live what is live, where it could be read
 * @param onFault what such a snapshot held is embedded again
 * @returns vectors by the text that they stand for
 */
export async function findStoredVectors(
  dataDir: string,
  encoder: ExpectedEncoder,
  texts: Iterable<string>,
  live: StoredCatalogue | null,
  onFault: OnFault,
): Promise<ReadonlyMap<string, Float32Array>> {
  const wanted = new Set(texts);
  const byText = new Map<string, Float32Array>();
  for (const kept of await listSnapshots(dataDir)) {
    if (wanted.size === 0) break;
    if (!isMadeBy(encoder, kept)) continue;
    const catalogue = kept.live ? live : await loadKept(dataDir, kept, onFault);
    if (catalogue === null) continue;
    for (const [label, creative] of catalogue.creatives.entries()) {
      const text = creativeText(creative);
      if (!wanted.delete(text)) continue;
      byText.set(text, catalogue.vectors.subarray(label * encoder.dims, (label + 1) * encoder.dims));
    }
  }
  return byText;
}

function isMadeBy({ fingerprint, dims }: ExpectedEncoder, { manifest }: KeptSnapshot): boolean {
  if (manifest instanceof SnapshotFaultError) return false;
  return manifest.encoder.fingerprint === fingerprint && manifest.encoder.dims === dims;
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

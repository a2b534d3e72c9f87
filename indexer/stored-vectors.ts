import { creativeText } from '../models/encoder/embed-creative.js';
import { SnapshotFaultError } from '../models/snapshot/manifest.js';
import { type KeptSnapshot, listSnapshots } from '../models/snapshot/kept-snapshots.js';
import { snapshotDirectory } from '../models/snapshot/layout.js';
import { type ExpectedEncoder, loadCatalogue, type StoredCatalogue } from '../models/snapshot/load-snapshot.js';

/** What earlier runs left that this one can use. */
export interface StoredVectors {
  /** What is live now; null when nothing is, or it cannot be read. */
  readonly live: StoredCatalogue | null;
  /** Vectors by the text that they stand for. */
  readonly byText: ReadonlyMap<string, Float32Array>;
}

/**
 * Looks up which texts were embedded before with the same encoder: in the live snapshot, then in the others that
 * are kept, until every text is found.
 *
 * @param onFault called for a kept snapshot that cannot be used; what it held is embedded again
 */
export async function findStoredVectors(
  dataDir: string,
  encoder: ExpectedEncoder,
  texts: Iterable<string>,
  onFault: (fault: SnapshotFaultError) => void,
): Promise<StoredVectors> {
  const wanted = new Set(texts);
  const byText = new Map<string, Float32Array>();
  let live: StoredCatalogue | null = null;
  for (const kept of await listSnapshots(dataDir)) {
    const usable = isMadeBy(encoder, kept);
    if (!kept.live && (!usable || wanted.size === 0)) continue;
    const catalogue = await load(dataDir, kept, onFault);
    if (kept.live) live = catalogue;
    if (catalogue === null || !usable) continue;
    for (const [label, creative] of catalogue.creatives.entries()) {
      const text = creativeText(creative);
      if (!wanted.delete(text)) continue;
      byText.set(text, catalogue.vectors.subarray(label * encoder.dims, (label + 1) * encoder.dims));
    }
  }
  return { live, byText };
}

function isMadeBy({ fingerprint, dims }: ExpectedEncoder, { manifest }: KeptSnapshot): boolean {
  if (manifest instanceof SnapshotFaultError) return false;
  return manifest.encoder.fingerprint === fingerprint && manifest.encoder.dims === dims;
}

async function load(
  dataDir: string,
  { id, manifest }: KeptSnapshot,
  onFault: (fault: SnapshotFaultError) => void,
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

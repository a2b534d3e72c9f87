import { creativeText } from '../models/encoder/embed-creative.js';
import type { Manifest } from '../models/snapshot/manifest.js';
import { SnapshotFaultError } from '../models/snapshot/snapshot-fault.js';
import { type KeptSnapshot, listSnapshots } from '../models/snapshot/kept-snapshots.js';
import { FIRST_INDEX, type IndexFiles, snapshotDirectory } from '../models/snapshot/layout.js';
import { loadCatalogue, type StoredCatalogue } from '../models/snapshot/load-snapshot.js';
import { readVectors } from '../models/snapshot/read-vectors.js';
import { type ExpectedEncoder, loadCreatives, type StoredCreatives } from '../models/snapshot/stored-creatives.js';

/** Called for a kept snapshot that cannot be used. */
export type OnFault = (fault: Error) => void;

/** An encoder, and which files of a snapshot its vectors are in. */
export interface EncoderFiles {
  readonly encoder: ExpectedEncoder;
  readonly files: IndexFiles;
}

/**
 * Looks up which texts were embedded before with the same encoders: in the live snapshot, then in the other kept ones
 * until every text is found. Reads the creatives of a snapshot once for all encoders, and vectors only where they are
 * needed.
 *
 * @param live the live snapshot, if it could be read
 * @param onFault called for a snapshot that cannot be read; its texts are embedded again
 * @returns for each encoder its vectors by text
 */
export async function findStoredVectors(
  dataDir: string,
  encoders: readonly EncoderFiles[],
  texts: Iterable<string>,
  live: StoredCatalogue | null,
  onFault: OnFault,
): Promise<readonly ReadonlyMap<string, Float32Array>[]> {
  const searches = encoders.map(({ encoder, files }) => new VectorSearch(encoder, files, new Set(texts)));
  for (const kept of await listSnapshots(dataDir)) {
    const { id, manifest } = kept;
    if (manifest instanceof SnapshotFaultError) continue;
    const pending = searches.filter((search) => search.canUse(manifest));
    if (pending.length === 0) continue;
    const directory = snapshotDirectory(dataDir, id);
    const stored = kept.live ? live : await orFault(() => loadCreatives(directory, manifest.encoder), onFault);
    if (stored === null) continue;
    const storedTexts = stored.creatives.map(creativeText);
    for (const search of pending) {
      const atHand = kept.live && search.files === FIRST_INDEX ? live!.vectors : null;
      await search.takeFrom(storedTexts, () => atHand ?? orFault(() => search.read(directory, stored), onFault));
    }
  }
  return searches.map(({ found }) => found);
}

/** The search for one encoder's vectors. */
class VectorSearch implements EncoderFiles {
  readonly found = new Map<string, Float32Array>();

  constructor(
    readonly encoder: ExpectedEncoder,
    readonly files: IndexFiles,
    /** Texts that are not found yet. */
    readonly wanted: Set<string>,
  ) {}

  canUse(manifest: Manifest): boolean {
    return this.wanted.size > 0 && isMadeBy(this.encoder, manifest, this.files);
  }

  read(directory: string, { manifest }: StoredCreatives): Promise<Float32Array> {
    return readVectors(directory, manifest, this.encoder.dims, this.files);
  }

  /** @param texts those of a snapshot, by label @param load loads its vectors; null where they cannot be read */
  async takeFrom(texts: readonly string[], load: () => Float32Array | Promise<Float32Array | null>): Promise<void> {
    if (!texts.some((text) => this.wanted.has(text))) return;
    const vectors = await load();
    if (vectors === null) return;
    const { dims } = this.encoder;
    for (const [label, text] of texts.entries()) {
      if (this.wanted.delete(text)) this.found.set(text, vectors.subarray(label * dims, (label + 1) * dims));
    }
  }
}

/** Returns whether a snapshot has this encoder's vectors, in these files. */
export function isMadeBy(encoder: ExpectedEncoder, manifest: Manifest, files: IndexFiles): boolean {
  const made = files === FIRST_INDEX ? manifest.encoder : manifest.multilingual;
  return made?.fingerprint === encoder.fingerprint && made.dims === encoder.dims;
}

/** Loads a kept snapshot with the encoder that made it; null if it cannot be read. */
export function loadKept(
  dataDir: string,
  { id, manifest }: KeptSnapshot,
  onFault: OnFault,
): Promise<StoredCatalogue | null> {
  return orFault(async () => {
    if (manifest instanceof SnapshotFaultError) throw manifest;
    return loadCatalogue(snapshotDirectory(dataDir, id), manifest.encoder);
  }, onFault);
}

/** Reads part of a snapshot; null if that is damaged. */
async function orFault<T>(read: () => Promise<T>, onFault: OnFault): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SnapshotFaultError)) throw error;
    onFault(error);
    return null;
  }
}

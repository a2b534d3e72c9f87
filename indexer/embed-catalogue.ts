import { creativeText } from '../models/encoder/embed-creative.js';
import type { Creative } from '../models/schema/creative.js';
import { FIRST_INDEX, MULTILINGUAL_INDEX } from '../models/snapshot/layout.js';
import type { StoredCatalogue } from '../models/snapshot/load-snapshot.js';
import type { LazyEncoder } from './lazy-encoder.js';
import { type EmbeddingRun, makeVectors } from './make-vectors.js';
import { type EncoderFiles, findStoredVectors, type OnFault } from './stored-vectors.js';

/** One encoder's vectors of the catalogue, row-major (label × dims) in shared memory. */
export interface EncodedVectors {
  readonly source: LazyEncoder;
  readonly vectors: Float32Array;
}

/** A catalogue's vectors by encoder. */
export interface EmbeddedCatalogue {
  readonly first: EncodedVectors;
  /** Null: LANGUAGES does not ask for other languages. */
  readonly multilingual: EncodedVectors | null;
}

/**
 * Finds the vectors of a catalogue in kept snapshots, and makes the others.
 *
 * @param live the live snapshot; null: nothing is live, or it cannot be read
 * @param onFault called for a kept snapshot that cannot be read; its texts are embedded again
 */
export async function embedCatalogue(
  creatives: readonly Creative[],
  encoder: LazyEncoder,
  live: StoredCatalogue | null,
  run: EmbeddingRun,
  onFault: OnFault,
): Promise<EmbeddedCatalogue> {
  const texts = creatives.map(creativeText);
  const { multilingual } = encoder;
  const parts: EncoderFiles[] = [{ encoder, files: FIRST_INDEX }];
  if (multilingual !== null) parts.push({ encoder: multilingual, files: MULTILINGUAL_INDEX });
  const [known, knownOther] = await findStoredVectors(run.dataDir, parts, texts, live, onFault);
  const first = { source: encoder, vectors: await makeVectors(texts, known!, encoder, run, 'Embedding') };
  if (multilingual === null) return { first, multilingual };
  const vectors = await makeVectors(texts, knownOther!, multilingual, run, 'Embedding for other languages');
  return { first, multilingual: { source: multilingual, vectors } };
}

import path from 'node:path';
import { creativeText, embedCreative } from '../../models/encoder/embed-creative.js';
import type { Encoder } from '../../models/encoder/encoder.js';
import type { VectorStore } from '../../models/pgvector/vector-store.js';
import { dot } from '../../models/index/vector-index.js';
import { SnapshotFaultError } from '../../models/snapshot/snapshot-fault.js';
import { snapshotDirectory, type SnapshotFile } from '../../models/snapshot/layout.js';
import { loadSnapshot, loadWithoutVectors, type ServedSnapshot } from '../../models/snapshot/load-snapshot.js';

const SAMPLE = 16;
/** Not equality: int8 kernels round differently on different CPUs. */
const MIN_SIMILARITY = 0.98;

/**
 * Loads a snapshot and verifies, by embedding a sample again, that this machine's encoder produces the stored vectors.
 *
 * @param vectors where vectors are searched; null: in memory
 * @throws SnapshotFaultError stating what does not match
 */
export async function loadVerified(
  dataDir: string,
  id: string,
  encoder: Encoder,
  vectors: VectorStore | null,
): Promise<ServedSnapshot> {
  const directory = snapshotDirectory(dataDir, id);
  const snapshot =
    vectors === null
      ? await loadSnapshot(directory, encoder)
      : await loadWithoutVectors(directory, encoder, ({ creatives }, files, dims) =>
          vectors.open({
            snapshot: id,
            part: path.parse(files.vectors).name,
            file: path.join(directory, files.vectors),
            dims,
            creatives,
          }),
        );
  await verifyVectors(snapshot, encoder, 'vectors.f32');
  const { multilingual } = snapshot;
  if (encoder.multilingual && multilingual !== null) {
    await verifyVectors(multilingual, encoder.multilingual, 'multilingual.f32');
  }
  return snapshot;
}

async function verifyVectors(snapshot: ServedSnapshot, encoder: Encoder, file: SnapshotFile): Promise<void> {
  const labels = sampleLabels(snapshot.creatives.length);
  const { vectors, from } = await snapshot.search.rows(labels);
  for (const label of labels) {
    const creative = snapshot.creatives[label]!;
    const similarity = dot(vectors, from(label), await embedCreative(encoder, creativeText(creative)));
    if (similarity >= MIN_SIMILARITY) continue;
    throw new SnapshotFaultError(
      snapshot.id,
      file,
      `has another vector for creative ${creative.id} than this encoder (cosine ${similarity.toFixed(3)}, ` +
        `expected ${MIN_SIMILARITY}); index the feed again on this machine`,
    );
  }
}

/** Returns labels spread evenly over the whole catalogue. */
function sampleLabels(size: number): number[] {
  const count = Math.min(SAMPLE, size);
  return Array.from({ length: count }, (_, at) => Math.floor((at * size) / count));
}

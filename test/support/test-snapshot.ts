import type { Cluster } from '../../platform/cluster/cluster.js';
import { buildGraph } from '../../models/index/graph.js';
import type { Creative } from '../../models/schema/creative.js';
import { publish } from '../../models/snapshot/publish.js';
import { writeSnapshot } from '../../models/snapshot/write-snapshot.js';

/** Dimensions of synthetic vectors. */
export const DIMS = 8;

/** Returns a creative with only the required fields. */
export function testCreative(id: string, fields: Partial<Creative> = {}): Creative {
  const nothing = { advertiser: null, campaign: null, categories: [], startsAt: null, endsAt: null, pricing: null };
  const limits = { budgetMicros: null, dailyBudgetMicros: null, frequencyCap: null };
  const shown = { name: `Shop ${id}`, text: null, landingUrl: `https://shop.example/${id}`, imageFile: null };
  return { id, ...shown, ...nothing, ...limits, ...fields };
}

/**
 * Publishes a snapshot of synthetic vectors; of creatives `c0`, `c1` … unless creatives are given.
 *
 * @param multilingual whether to add vectors of a multilingual encoder, which are the same values in reverse order
 * @param cluster the cluster for which to publish it
 * @returns its id
 */
export async function publishTestSnapshot(
  dataDir: string,
  contents: number | readonly Creative[],
  name = 'made',
  multilingual = false,
  cluster: Cluster | null = null,
): Promise<string> {
  const creatives =
    typeof contents === 'number' ? Array.from({ length: contents }, (_, at) => testCreative(`c${at}`)) : contents;
  const vectors = new Float32Array(creatives.length * DIMS);
  for (let label = 0; label < creatives.length; label++) {
    const row = Array.from({ length: DIMS }, (_, dim) => Math.sin((label + 1) * (dim + 1)));
    const length = Math.hypot(...row);
    for (const [dim, value] of row.entries()) vectors[label * DIMS + dim] = value / length;
  }
  const draft = await writeSnapshot(dataDir, {
    name,
    builtAt: new Date(0).toISOString(),
    source: { format: 'made', digest: '0'.repeat(64) },
    encoder: { name: 'made', fingerprint: 'made', dims: DIMS },
    creatives,
    vectors,
    usesUsearch: false,
    saveGraph: (file) => buildGraph(vectors, DIMS).save(file),
    pictures: null,
    multilingual: multilingual
      ? {
          encoder: { name: 'other', fingerprint: 'other', dims: DIMS },
          vectors: vectors.toReversed(),
          usesUsearch: false,
          saveGraph: (file) => buildGraph(vectors.toReversed(), DIMS).save(file),
        }
      : null,
  });
  await draft.keep();
  await publish(dataDir, draft.snapshot.id, { cluster });
  return draft.snapshot.id;
}

import { expect } from 'chai';
import { cpSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadSnapshot } from '../../../models/snapshot/load-snapshot.js';
import { publish } from '../../../models/snapshot/publish.js';
import { writeSnapshot } from '../../../models/snapshot/write-snapshot.js';
import { buildLargeGraph } from '../../../models/usearch/large-graph.js';
import { clusteredVectors } from '../../support/clustered-vectors.js';
import { testCreative } from '../../support/test-snapshot.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const DIMS = 16;
const OTHER_DIMS = 24;
const SIZE = 900;

describe('the snapshot of a large catalogue', () => {
  const folder = temporaryDirectory();
  const encoder = {
    fingerprint: 'made',
    dims: DIMS,
    pictures: null,
    multilingual: { fingerprint: 'other', dims: OTHER_DIMS },
  };
  const vectors = clusteredVectors(SIZE, DIMS, 30);
  const others = clusteredVectors(SIZE, OTHER_DIMS, 45);
  let directory: string;

  before(async () => {
    const encoded = (name: string, of: Float32Array, dims: number) => ({
      encoder: { name, fingerprint: name, dims },
      vectors: of,
      usesUsearch: true,
      saveGraph: async (file: string) => buildLargeGraph({ vectors: of, dims, file }),
    });
    const draft = await writeSnapshot(folder, {
      name: 'large',
      builtAt: new Date(0).toISOString(),
      source: { format: 'made', digest: '0'.repeat(64) },
      creatives: Array.from({ length: SIZE }, (_, at) => testCreative(`c${at}`)),
      ...encoded('made', vectors, DIMS),
      pictures: null,
      multilingual: encoded('other', others, OTHER_DIMS),
    });
    await draft.keep();
    await publish(folder, draft.snapshot.id);
    directory = path.join(folder, 'snapshots', draft.snapshot.id);
  });
  after(() => rmSync(folder, { recursive: true }));

  it('can be searched by the vectors of either encoder', async () => {
    const { search, multilingual } = await loadSnapshot(directory, encoder);
    for (const at of [0, 17, SIZE - 1]) {
      const { near } = await search.nearest(vectors.slice(at * DIMS, (at + 1) * DIMS), 1, []);
      expect(near[0]!.label).to.equal(at);
      const query = others.slice(at * OTHER_DIMS, (at + 1) * OTHER_DIMS);
      expect((await multilingual!.search.nearest(query, 1, [])).near[0]!.label).to.equal(at);
    }
  });

  it('is rejected, naming the file, if either graph is damaged', async () => {
    for (const file of ['graph.usearch', 'multilingual.usearch']) {
      for (const [damage, why] of [
        [(at: string) => truncateSync(at, 1000), 'is cut short'],
        [(at: string) => writeFileSync(at, Buffer.alloc(4, 7), { flag: 'r+' }), 'was altered'],
        [(at: string) => rmSync(at), 'is missing'],
      ] as const) {
        const copy = path.join(folder, '.building-copy');
        cpSync(directory, copy, { recursive: true });
        damage(path.join(copy, file));
        const refused = await loadSnapshot(copy, encoder).catch((error: Error) => error.message);
        expect(refused).to.include(`${file} ${why}`);
        rmSync(copy, { recursive: true });
      }
    }
  });
});

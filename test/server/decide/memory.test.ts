import { expect } from 'chai';
import type { Encoder, Reading } from '../../../models/encoder/encoder.js';
import { memorySearch } from '../../../models/index/catalogue-search.js';
import { exactIndex } from '../../../models/index/vector-index.js';
import type { LoadedSnapshot } from '../../../models/snapshot/load-snapshot.js';
import { createDecide } from '../../../server/decide/decide.js';
import { defaultSettings } from '../../../server/keys/key-file.js';
import { testCreative } from '../../support/test-snapshot.js';

describe('a decision with an encoder that can rerank', () => {
  it('requests no memory of the conversation if the model does not rerank', async () => {
    const kept: boolean[] = [];
    const vector = Float32Array.of(1, 0);
    const reading: Reading = { vector, signals: null, complete: true, memory: null };
    const encoder: Encoder = {
      fingerprint: 'of nobody',
      dims: 2,
      embed: () => Promise.resolve(vector),
      encodeWithSignals: () => Promise.resolve(reading),
      joint: {
        read: (_, keep) => Promise.resolve(kept.push(keep)).then(() => reading),
        rerank: () => Promise.reject(new Error('nothing is to be reranked')),
      },
      close: () => Promise.resolve(),
    };
    const snapshot: LoadedSnapshot = {
      id: 'made',
      manifest: {} as LoadedSnapshot['manifest'],
      creatives: [testCreative('one')],
      vectors: vector,
      search: memorySearch(exactIndex(vector, 2), vector, 2),
      words: { find: () => ({ scores: new Map(), rarity: 0 }) },
      multilingual: null,
    };
    const decide = createDecide({
      encoder,
      index: { current: () => snapshot },
      config: { dataDir: '/nowhere', floor: 0 },
    });
    const publisher = { ...defaultSettings('Garden'), test: false };
    const decision = await decide({ context: 'boots' }, { publisher, session: undefined, now: 0 });
    expect(decision.filled).to.equal(true);
    expect(kept).to.deep.equal([false]);
  });
});

import { expect } from 'chai';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openCluster } from '../../../platform/cluster/cluster.js';
import type { EncoderPool } from '../../../models/encoder/pool.js';
import { openVectorStore, type VectorStore } from '../../../models/pgvector/vector-store.js';
import type { ServedSnapshot } from '../../../models/snapshot/load-snapshot.js';
import { indexSet } from '../../../server/commands/calibrate/index-set.js';
import { createDecide } from '../../../server/decide/decide.js';
import type { Decision } from '../../../server/domain/decision.js';
import { defaultSettings } from '../../../server/keys/key-file.js';
import { loadVerified } from '../../../server/live-index/load-verified.js';
import { type EvalContext, readJsonLines } from '../../eval/set.js';
import { bundledEncoder } from '../../support/bundled-encoder.js';
import { databaseWithPgvector } from '../../support/pgvector.js';
import type { TemporaryDatabase } from '../../support/postgres.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const sets = fileURLToPath(new URL('../../../../test/eval/', import.meta.url));
const MODEL = 'adjacent-small?languages=en';

describe('decisions with the vectors in PostgreSQL', function () {
  this.timeout(300_000);
  const dataDir = temporaryDirectory();
  let database: TemporaryDatabase | undefined;
  let encoder: EncoderPool;
  let store: VectorStore;
  before(async function () {
    database = await databaseWithPgvector(this);
    await (await openCluster({ url: database.url, dataDir })).close();
    encoder = await bundledEncoder();
    store = await openVectorStore({ url: database.url, log: { info: () => undefined, error: () => undefined } });
  });
  after(async () => {
    if (database !== undefined) {
      await store.close();
      await encoder.close();
      await database.drop();
    }
    rmSync(dataDir, { recursive: true });
  });

  /**
   * Serves the first ad for every context, however low its score, to a publisher with blocked categories and
   * advertisers.
   */
  const decideOn = (snapshot: ServedSnapshot) => {
    const decide = createDecide({
      encoder,
      index: { current: () => snapshot },
      config: { dataDir: '/nowhere', floor: null },
    });
    const blocked = { blockedCategories: ['travel'], blockedAdvertisers: ['Nobody'] };
    const publisher = { ...defaultSettings('Garden'), ...blocked, test: false, floor: 0 };
    return ({ context }: EvalContext): Promise<Decision> =>
      decide({ context }, { publisher, session: undefined, now: Date.UTC(2026, 10, 24) });
  };

  for (const { set, file, every } of [
    // The first is compared one by one, the second searched in the graph.
    { set: 'everyday', file: 'contexts.test.jsonl', every: 2 },
    { set: 'narrow', file: 'contexts.jsonl', every: 8 },
  ]) {
    it(`are those of a node with vectors in memory, in 99 of 100 contexts of ${set}`, async () => {
      const place = path.join(dataDir, set);
      const inMemory = await indexSet(path.join(sets, set), place, encoder, MODEL);
      const inDatabase = await loadVerified(place, inMemory.id, encoder, store);
      const [one, other] = [decideOn(inMemory), decideOn(inDatabase)];
      const contexts = readJsonLines<EvalContext>(path.join(sets, set, file)).filter((_, at) => at % every === 0);
      let same = 0;
      for (const context of contexts) {
        const [expected, found] = [await one(context), await other(context)];
        if (resultOf(expected) === resultOf(found)) same++;
      }
      expect(same / contexts.length).to.be.at.least(0.99);
    });
  }
});

/** Returns the ad's id, or the reason for a no-fill. */
function resultOf(decision: Decision): string {
  return decision.filled ? decision.creative.id : decision.reason;
}

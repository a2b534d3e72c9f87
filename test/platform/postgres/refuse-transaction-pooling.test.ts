import { expect } from 'chai';
import { openCluster } from '../../../platform/cluster/cluster.js';
import { openForWriting } from '../../../server/ledger/database.js';
import { hasPgbouncer, startPgbouncer, type Pgbouncer } from '../../support/pgbouncer.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/postgres.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('a database behind PgBouncer', function () {
  this.timeout(120_000);
  let database: TemporaryDatabase;
  let pooler: Pgbouncer | undefined;
  before(async function () {
    if (!hasPgbouncer()) return this.skip();
    database = await temporaryDatabase();
  });
  afterEach(() => pooler?.stop());
  after(() => database?.drop());

  const openNode = async (url: string): Promise<void> => {
    const node = await openCluster({ url, dataDir: temporaryDirectory() });
    await node.close();
  };
  const openLedger = (url: string): void => openForWriting({ url }, 0).close();

  it('is used when it pools by session, even with a single connection', async () => {
    pooler = await startPgbouncer(database.url, ['pool_mode = session', 'default_pool_size = 4']);
    await openNode(pooler.url);
    openLedger(pooler.url);
    await pooler.stop();
    pooler = await startPgbouncer(database.url, ['pool_mode = session', 'default_pool_size = 1']);
    openLedger(pooler.url);
  });

  for (const settings of [
    ['pool_mode = transaction'],
    ['pool_mode = transaction', 'server_round_robin = 1', 'min_pool_size = 3'],
    ['pool_mode = statement'],
  ]) {
    it(`is refused with ${settings.join(', ')}`, async () => {
      pooler = await startPgbouncer(database.url, settings);
      const refused = await openNode(pooler.url).catch(String);
      expect(refused).to.include('is behind a pooler').and.include('pool_mode = session');
      expect(() => openLedger(pooler!.url)).to.throw('is behind a pooler');
    });
  }
});

import { expect } from 'chai';
import { type Cluster, openCluster } from '../../../platform/cluster/cluster.js';
import { isDatabaseUnreachable } from '../../../platform/cluster/database-unreachable.js';
import { readDocument, replaceDocument } from '../../../platform/cluster/documents.js';
import { followCluster } from '../../../platform/cluster/follow.js';
import { eventually } from '../../support/eventually.js';
import { startPostgres, type TemporaryPostgres } from '../../support/postgres.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('a database server that was replaced in a failover', function () {
  this.timeout(300_000);
  let postgres: TemporaryPostgres;
  let node: Cluster;
  before(async () => {
    postgres = await startPostgres();
    node = await openCluster({ url: (await postgres.database()).url, dataDir: temporaryDirectory() });
  });
  after(async () => {
    await node.close();
    await postgres.stop();
  });

  /** Makes the server a standby from its next start on, with no primary to follow. */
  const demote = async (): Promise<void> => {
    const { rows } = await node.pool.query<{ folder: string }>("select current_setting('data_directory') as folder");
    await node.pool.query(`copy (select '') to '${rows[0]!.folder}/standby.signal'`);
    await postgres.restart('fast', 0);
  };

  it('is unavailable although it responds, loses each connection after one look, and is back once promoted', async () => {
    await replaceDocument(node, 'keys.json', '{}');
    await demote();
    const logged: string[] = [];
    const log = {
      info: (_: object, message: string) => void logged.push(message),
      error: (_: object, message: string) => void logged.push(message),
    };
    const other = async (): Promise<void> => void (await readDocument(node, 'keys.json'));
    const following = await followCluster(node, { looks: [node.refresh, other], log, pollMs: 50 });
    try {
      const refused = await node.refresh().catch((error: unknown) => error);
      expect(String(refused)).to.contain('DATABASE_URL leads to a server in recovery');
      expect(isDatabaseUnreachable(refused)).to.equal(true);
      await eventually(() => expect(following.silentMs()).to.be.above(1500), 20_000);
      let ended = 0;
      node.pool.on('remove', () => void ended++);
      await eventually(() => expect(ended).to.be.above(2));
      // Logged for the refused look, although the other look still reads the data.
      expect(logged).to.deep.equal(['the database does not answer; the last copy stays in force']);
      expect(await replaceDocument(node, 'keys.json', '[]').catch(isDatabaseUnreachable)).to.equal(true);
      await node.pool.query('select pg_promote()');
      await eventually(() => expect(following.silentMs()).to.be.below(1000), 60_000);
      await eventually(() => expect(logged.at(-1)).to.equal('the database answers again'));
      await replaceDocument(node, 'keys.json', '[]');
      expect(await readDocument(node, 'keys.json')).to.equal('[]');
    } finally {
      await following.close();
    }
  });
});

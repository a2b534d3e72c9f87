import { expect } from 'chai';
import type { Cluster } from '../../../platform/cluster/cluster.js';
import { followCluster } from '../../../platform/cluster/follow.js';
import { eventually } from '../../support/eventually.js';
import { postgresStub } from '../../support/postgres-stub.js';

const log = (logged: string[]) => ({
  info: () => {},
  error: (_: object, message: string) => void logged.push(message),
});

describe('a node that follows other nodes', () => {
  it('keeps running when the database is lost between its welcome and its first response', async () => {
    let lost = 0;
    const database = await postgresStub((connection) => {
      lost++;
      connection.destroy();
    });
    const logged: string[] = [];
    const following = await followCluster({ url: database.url } as Cluster, {
      looks: [],
      log: log(logged),
      pollMs: 20,
    });
    try {
      await eventually(() => expect(lost).to.be.above(2), 5000);
      expect(logged).to.deep.equal(['the database does not answer; the last copy stays in force']);
    } finally {
      await following.close();
      await database.close();
    }
  });

  it('starts although the database sends nothing after its welcome', async () => {
    const database = await postgresStub();
    const logged: string[] = [];
    const following = await followCluster({ url: database.url } as Cluster, {
      looks: [],
      log: log(logged),
      pollMs: 60_000,
    });
    expect(logged).to.deep.equal(['the database does not answer; the last copy stays in force']);
    await following.close();
    await database.close();
  });
});

import { expect } from 'chai';
import { type Cluster, openCluster } from '../../../platform/cluster/cluster.js';
import { clusterSessions } from '../../../server/admin/session/cluster-sessions.js';
import { tell } from '../../../server/admin/rendering/show.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/postgres.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('sessions of several nodes', () => {
  const notice = { kind: 'key', id: 'key_1', publisher: 'Shop', key: 'pub_secret' } as const;
  const token = 'a-token-of-the-tests';
  const onNodes = () => nodes.map((node) => clusterSessions(node, token));
  let database: TemporaryDatabase;
  let nodes: Cluster[];
  beforeEach(async () => {
    database = await temporaryDatabase();
    nodes = [];
    for (let node = 0; node < 2; node++)
      nodes.push(await openCluster({ url: database.url, dataDir: temporaryDirectory() }));
  });
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await database.drop();
  });

  it('begin at one, go on at the other, and end everywhere', async () => {
    const [one, other] = onNodes();
    const id = await one!.begin();
    const session = await other!.find(id);
    expect(session).to.deep.include({ notices: [] });
    expect(session?.formToken).to.equal((await one!.find(id))?.formToken);
    await other!.end(id);
    expect(await one!.find(id)).to.equal(undefined);
    expect(await one!.find(undefined)).to.equal(undefined);
  });

  it('say at one what was done at the other, once, and the database cannot read it', async () => {
    const [one, other] = onNodes();
    const id = await one!.begin();
    const session = (await one!.find(id))!;
    tell(session, notice);
    await one!.keep(id, session);
    const { rows } = await nodes[0]!.pool.query<{ notice: Buffer }>('select notice from admin_sessions');
    expect(rows[0]?.notice.toString('latin1')).to.not.include('pub_secret');
    const shown = (await other!.find(id))!;
    expect(shown.notices).to.deep.equal([notice]);
    shown.notices = [];
    await other!.keep(id, shown);
    expect((await one!.find(id))?.notices).to.deep.equal([]);
  });

  it('say everything that was done at once, and what was said meanwhile no more', async () => {
    const [one, other] = onNodes();
    const id = await one!.begin();
    const first = (await one!.find(id))!;
    tell(first, notice);
    await one!.keep(id, first);
    const [saying, telling, tellingToo] = [(await one!.find(id))!, (await one!.find(id))!, (await other!.find(id))!];
    saying.notices = [];
    tell(telling, { ...notice, id: 'key_2' });
    tell(tellingToo, { ...notice, id: 'key_3' });
    await Promise.all([one!.keep(id, telling), other!.keep(id, tellingToo), one!.keep(id, saying)]);
    const ids = (await one!.find(id))!.notices.map((each) => each.kind === 'key' && each.id);
    expect(ids).to.have.members(['key_2', 'key_3']);
  });

  it('are over where another token opens the dashboard', async () => {
    const id = await clusterSessions(nodes[0]!, token).begin();
    expect(await clusterSessions(nodes[0]!, `${token}x`).find(id)).to.equal(undefined);
    expect(await clusterSessions(nodes[1]!, token).find(id)).to.not.equal(undefined);
  });

  it('are over after two hours without a page, or twelve with', async () => {
    const sessions = clusterSessions(nodes[0]!, token);
    const [idle, old] = [await sessions.begin(), await sessions.begin()];
    await nodes[0]!.pool.query("update admin_sessions set used_at = now() - interval '119 minutes'");
    expect(await sessions.find(idle)).to.not.equal(undefined);
    await nodes[0]!.pool.query("update admin_sessions set used_at = now() - interval '121 minutes'");
    expect(await sessions.find(idle)).to.equal(undefined);
    await nodes[0]!.pool.query("update admin_sessions set used_at = now(), started_at = now() - interval '12 hours'");
    expect(await sessions.find(old)).to.equal(undefined);
  });
});

import { expect } from 'chai';
import { type Cluster, openCluster } from '../../../platform/cluster/cluster.js';
import { clusterSessions } from '../../../server/admin/session/cluster-sessions.js';
import { addNotice } from '../../../server/admin/rendering/show.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/postgres.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('sessions in a cluster', () => {
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

  it('start on one node, continue on another, and end on all', async () => {
    const [one, other] = onNodes();
    const id = await one!.create();
    const session = await other!.find(id);
    expect(session).to.deep.include({ notices: [] });
    expect(session?.formToken).to.equal((await one!.find(id))?.formToken);
    await other!.end(id);
    expect(await one!.find(id)).to.equal(undefined);
    expect(await one!.find(undefined)).to.equal(undefined);
  });

  it('show a notice of one node on another, once, and the database cannot be used to read it', async () => {
    const [one, other] = onNodes();
    const id = await one!.create();
    const session = (await one!.find(id))!;
    addNotice(session, notice);
    await one!.saveNotices(id, session);
    const { rows } = await nodes[0]!.pool.query<{ notice: Buffer }>('select notice from admin_sessions');
    expect(rows[0]?.notice.toString('latin1')).to.not.include('pub_secret');
    const shown = (await other!.find(id))!;
    expect(shown.notices).to.deep.equal([notice]);
    shown.notices = [];
    await other!.saveNotices(id, shown);
    expect((await one!.find(id))?.notices).to.deep.equal([]);
  });

  it('show the notices of simultaneous changes, and none that was shown meanwhile', async () => {
    const [one, other] = onNodes();
    const id = await one!.create();
    const first = (await one!.find(id))!;
    addNotice(first, notice);
    await one!.saveNotices(id, first);
    const [saying, notifying, alsoNotifying] = [
      (await one!.find(id))!,
      (await one!.find(id))!,
      (await other!.find(id))!,
    ];
    saying.notices = [];
    addNotice(notifying, { ...notice, id: 'key_2' });
    addNotice(alsoNotifying, { ...notice, id: 'key_3' });
    await Promise.all([
      one!.saveNotices(id, notifying),
      other!.saveNotices(id, alsoNotifying),
      one!.saveNotices(id, saying),
    ]);
    const ids = (await one!.find(id))!.notices.map((each) => each.kind === 'key' && each.id);
    expect(ids).to.have.members(['key_2', 'key_3']);
  });

  it('end when the administration token changes', async () => {
    const id = await clusterSessions(nodes[0]!, token).create();
    expect(await clusterSessions(nodes[0]!, `${token}x`).find(id)).to.equal(undefined);
    expect(await clusterSessions(nodes[1]!, token).find(id)).to.not.equal(undefined);
  });

  it('end after two hours without use, and after twelve in any case', async () => {
    const sessions = clusterSessions(nodes[0]!, token);
    const [idle, old] = [await sessions.create(), await sessions.create()];
    await nodes[0]!.pool.query("update admin_sessions set used_at = now() - interval '119 minutes'");
    expect(await sessions.find(idle)).to.not.equal(undefined);
    await nodes[0]!.pool.query("update admin_sessions set used_at = now() - interval '121 minutes'");
    expect(await sessions.find(idle)).to.equal(undefined);
    await nodes[0]!.pool.query("update admin_sessions set used_at = now(), started_at = now() - interval '12 hours'");
    expect(await sessions.find(old)).to.equal(undefined);
  });
});

import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ad } from '../../models/schema/ad.js';
import { openClient } from '../../platform/postgres/connection.js';
import { DEMO_KEY, DOCUMENTS, LOGS } from '../../server/move/parts.js';
import { eventually } from '../support/eventually.js';
import { feedRow, writeFeed } from '../support/feed.js';
import { Installation, match, type Served } from '../support/installation.js';
import { OBVIOUS } from '../support/obvious.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/postgres.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const MOVE = 'server/commands/move/main.js';
const STARTING_MS = 200_000;

interface Total {
  readonly impressions: number;
  readonly ignored: Readonly<Record<string, number>>;
}

describe('an installation that is moved into a database and back', function () {
  this.timeout(600_000);
  const folder = temporaryDirectory();
  const embedded = new Installation(join(folder, 'data'));
  const returned = new Installation(join(folder, 'back'));
  let database: TemporaryDatabase;
  let node: Installation;
  let key: string;
  let [counted, waiting]: Ad[] = [];

  before(async () => {
    database = await temporaryDatabase();
    node = new Installation(embedded.dataDir, { DATABASE_URL: database.url });
    const board = { name: 'Chess', text: 'Board games for four and more people, delivered tomorrow.' };
    const pricing = { model: 'cpm', micros: 2_000_000 };
    const feed = writeFeed(folder, [feedRow('chess-1', { ...board, pricing }), feedRow('boots-1')]);
    await embedded.run('indexer/main.js', feed);
    key = await embedded.createKey('--publisher', 'Chat');
  });
  after(async () => {
    await Promise.all([embedded, node, returned].map((each) => each.end()));
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const ad = async ({ origin }: Served): Promise<Ad> => (await (await match(origin, key, OBVIOUS[3]![0])).json()) as Ad;
  /** Loads a beacon from another server than the one that the ad names. */
  const load = async ({ impressionUrl }: Ad, { origin }: Served): Promise<void> =>
    expect((await fetch(impressionUrl.replace(/^http:\/\/[^/]+/, origin))).status).to.equal(200) && undefined;
  const totals = async (of: Installation, expected: readonly [impressions: number, repeated: number]): Promise<void> =>
    eventually(async () => {
      const out = await of.run('server/commands/report/main.js', '--format', 'json', '--by', '');
      const { impressions, ignored } = (JSON.parse(out) as { total: Total }).total;
      expect([impressions, ignored['repeated'] ?? 0]).to.deep.equal(expected);
    });
  const tokenOf = ({ dataDir }: Installation): string => readFileSync(join(dataDir, 'admin-token'), 'utf8');

  it('is not moved while it is being served', async () => {
    const served = await embedded.serve('server/main.js', STARTING_MS);
    [counted, waiting] = [await ad(served), await ad(served)];
    await load(counted, served);
    await totals(embedded, [1, 0]);
    const { code, stderr } = await embedded.attempt(MOVE, '--to', database.url);
    expect([code, stderr.includes('is in use: stop the server first')]).to.deep.equal([1, true]);
    await embedded.end();
  });

  it('is served by no node while the move is incomplete', async () => {
    const client = await openClient(database.url);
    try {
      // Simulates a move that was interrupted.
      await embedded.run(MOVE, '--to', database.url);
      await client.query(
        `update shared_parts set content = jsonb_set(content::jsonb, '{finished}', 'null')::text where name = 'move'`,
      );
      const { code, stderr } = await node.attempt('server/start.js');
      expect([code, stderr.includes('is not finished: run npm run move -- --to again')]).to.deep.equal([1, true]);
    } finally {
      await client.end();
    }
    const out = await node.run(MOVE, '--to', 'DATABASE_URL');
    expect(out).to.match(/│ ledger: events +│ 1 rows, price_micros 2000, sha256 [0-9a-f]{12}… +│ equal /);
    const { code, stderr } = await embedded.attempt('server/start.js');
    expect([code, stderr.includes("is a node's copy of a database: set DATABASE_URL")]).to.deep.equal([1, true]);
  });

  it('counts each ad served before the move once', async () => {
    const served = await node.serve('server/start.js', STARTING_MS);
    await load(counted!, served);
    await load(waiting!, served);
    await load(waiting!, served);
    await totals(node, [2, 2]);
    await load(await ad(served), served);
    await totals(node, [3, 2]);
    await node.end();
  });

  it('leaves no shared part behind when it moves back', async () => {
    const client = await openClient(database.url);
    const { rows } = await client.query<{ name: string }>("select name from shared_parts where kind <> 'list'");
    await client.end();
    expect([...DOCUMENTS, ...LOGS, DEMO_KEY]).to.include.members(rows.map(({ name }) => name));
  });

  it('counts ads served in either place after moving back, with the same keys and admin token', async () => {
    await returned.run(MOVE, '--from', database.url);
    const served = await returned.serve('server/start.js', STARTING_MS);
    await load(counted!, served);
    await load(waiting!, served);
    await totals(returned, [3, 4]);
    await load(await ad(served), served);
    await totals(returned, [4, 4]);
    expect(tokenOf(returned)).to.equal(tokenOf(embedded));
    const { code, stderr } = await node.attempt('server/start.js');
    expect([code, stderr.includes(`was moved to ${returned.dataDir}`)]).to.deep.equal([1, true]);
    await returned.run('server/commands/ledger/main.js', 'check');
  });
});

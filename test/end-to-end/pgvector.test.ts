import { expect } from 'chai';
import { rm } from 'node:fs/promises';
import type { Ad } from '../../models/schema/ad.js';
import { openClient } from '../../platform/postgres/connection.js';
import { ADJACENT_LOCKS, LOCKS } from '../../platform/postgres/locks.js';
import { type CuttableLink, cuttableLink } from '../support/cuttable-link.js';
import { eventually } from '../support/eventually.js';
import { feedRow, writeFeed } from '../support/feed.js';
import { Installation, match, type Served } from '../support/installation.js';
import { NO_AD, OBVIOUS } from '../support/obvious.js';
import { databaseWithPgvector } from '../support/pgvector.js';
import type { TemporaryDatabase } from '../support/postgres.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const NEWS_MS = 10_000;
const [ASKED, ANSWER] = OBVIOUS[3]!;

/** Two servers that search in the database, and one that searches in memory. */
describe('nodes with SEARCH=pgvector', function () {
  this.timeout(240_000);
  let database: TemporaryDatabase | undefined;
  let link: CuttableLink;
  let nodes: Installation[] = [];
  let served: Served[] = [];
  let key: string;

  before(async function () {
    database = await databaseWithPgvector(this);
    const url = new URL(database.url);
    link = await cuttableLink(Number(url.port));
    url.port = String(link.port);
    nodes = ['pgvector', 'pgvector', 'memory'].map(
      (SEARCH) => new Installation(temporaryDirectory(), { DATABASE_URL: url.href, SEARCH }),
    );
    served = [await nodes[0]!.serve('server/start.js', 200_000)];
    served.push(...(await Promise.all(nodes.slice(1).map((node) => node.serve('server/main.js', 200_000)))));
    key = await nodes[0]!.createKey('--publisher', 'Corner Café');
  });
  after(async () => {
    if (database === undefined) return;
    await link.mend();
    await Promise.all(nodes.map((node) => node.end()));
    await link.cut();
    await database.drop();
    await Promise.all(nodes.map(({ dataDir }) => rm(dataDir, { recursive: true })));
  });

  /** Time until a snapshot's table is written. */
  const FIRST_MS = 60_000;
  const answerOf = async (node: Served, context: string): Promise<string | number> => {
    const response = await match(node.origin, key, context);
    return response.status === 200 ? ((await response.json()) as Ad).id : response.status;
  };
  const tables = async (): Promise<string[]> => {
    const client = await openClient(database!.url);
    try {
      return (await client.query<{ name: string }>('select name from vector_tables')).rows.map(({ name }) => name);
    } finally {
      await client.end();
    }
  };

  it('serve the same ads as one with the vectors in memory', async () => {
    // Wait until every node has the key.
    for (const node of served) {
      await eventually(async () => expect(await answerOf(node, ASKED)).to.equal(ANSWER), FIRST_MS);
    }
    for (const [context, expected] of OBVIOUS) {
      const answers = await Promise.all(served.map((node) => answerOf(node, context)));
      expect(answers).to.deep.equal([expected, expected, expected]);
    }
    for (const context of NO_AD) expect(await answerOf(served[0]!, context)).to.equal(404);
    expect(await tables()).to.have.length(1);
  });

  it('refuse quickly while the database is unreachable, and serve again by themselves', async () => {
    const [node] = served;
    await link.cut();
    const response = await match(node!.origin, key, ASKED);
    expect([response.status, response.headers.get('retry-after')]).to.deep.equal([503, '1']);
    // Decisions that need no search still work, and a node that searches in memory serves everything.
    expect(await answerOf(node!, NO_AD.at(-1)!)).to.equal(404);
    expect(await answerOf(served[2]!, ASKED)).to.equal(ANSWER);
    await link.mend();
    await eventually(async () => expect(await answerOf(node!, ASKED)).to.equal(ANSWER), NEWS_MS);
  });

  it('do not hang if the network drops all packets', async () => {
    const [node] = served;
    link.dropPackets();
    const began = performance.now();
    const answers = await Promise.all(Array.from({ length: 8 }, () => answerOf(node!, ASKED)));
    expect(new Set(answers)).to.deep.equal(new Set([503]));
    expect(performance.now() - began).to.be.below(10_000);
    await link.mend();
    await eventually(async () => expect(await answerOf(node!, ASKED)).to.equal(ANSWER), NEWS_MS);
  });

  it('follow a new snapshot', async () => {
    const row = feedRow('kites', { name: 'Kites for windy days', text: 'Stunt kites and kites for children.' });
    const feed = writeFeed(temporaryDirectory(), [row]);
    await nodes[2]!.run('indexer/main.js', feed, '--source', 'kites');
    const asks = 'User: where can I buy a kite for my children?';
    await eventually(async () => {
      for (const node of served) expect(await answerOf(node, asks)).to.equal('kites');
    }, FIRST_MS);
    expect(await tables()).to.have.length(2);
  });

  it('count events from their start, while a table is not yet written', async () => {
    const seen = (await (await match(served[2]!.origin, key, ASKED)).json()) as Ad;
    const client = await openClient(database!.url);
    await client.query('select pg_advisory_lock($1, $2)', [ADJACENT_LOCKS, LOCKS.vectors]);
    try {
      const row = feedRow('drums', { name: 'Drums for beginners', text: 'Drum kits and lessons.' });
      await nodes[2]!.run('indexer/main.js', writeFeed(temporaryDirectory(), [row]), '--source', 'drums');
      nodes.push(new Installation(temporaryDirectory(), nodes[0]!.env));
      const late = await nodes.at(-1)!.serve('server/main.js', 200_000);
      served.push(late);
      const beacon = seen.impressionUrl.replace(served[2]!.origin, late.origin);
      expect((await fetch(beacon)).status).to.equal(200);
      // It behaves like a server without a catalogue; a proxy does not send it requests.
      expect(await answerOf(late, ASKED)).to.equal(404);
      expect((await fetch(`${late.origin}/readyz`)).status).to.equal(503);
    } finally {
      await client.end();
    }
    await eventually(async () => expect(await answerOf(served.at(-1)!, ASKED)).to.equal(ANSWER), FIRST_MS);
  });
});

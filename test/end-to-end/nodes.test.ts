import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ad } from '../../models/schema/ad.js';
import { type CuttableLink, cuttableLink } from '../support/cuttable-link.js';
import { eventually } from '../support/eventually.js';
import { feedRow, writeFeed } from '../support/feed.js';
import { Installation, match, type Served } from '../support/installation.js';
import { OBVIOUS } from '../support/obvious.js';
import { picture } from '../support/pictures.js';
import { startPostgres, type TemporaryPostgres } from '../support/postgres.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Time for a change to reach another node: at most two seconds, times three for a busy machine. */
const NEWS_MS = 6000;
const [ASKED, ANSWER] = OBVIOUS[3]!;

/** Two servers, each with its own DATA_DIR, that share only the address of a database. */
describe('two nodes on one database', function () {
  this.timeout(240_000);
  let postgres: TemporaryPostgres;
  let link: CuttableLink;
  let one: Installation;
  let other: Installation;
  let [first, second]: Served[] = [];
  let key: string;
  let cookie: string;

  before(async () => {
    postgres = await startPostgres();
    const url = new URL((await postgres.database()).url);
    link = await cuttableLink(postgres.port);
    url.port = String(link.port);
    [one, other] = Array.from(
      { length: 2 },
      () => new Installation(temporaryDirectory(), { DATABASE_URL: url.href }),
    ) as [Installation, Installation];
    [first, second] = await Promise.all([one, other].map((node) => node.serve('server/start.js', 200_000)));
    key = await one.createKey('--publisher', 'Corner Café');
  });
  after(async () => {
    await Promise.all([one.end(), other.end()]);
    await link.cut();
    await postgres.stop();
    await Promise.all([one, other].map(({ dataDir }) => rm(dataDir, { recursive: true })));
  });

  const ask = (node: Served | undefined): Promise<Response> => match(node!.origin, key, ASKED);
  const answeredBy = async (node: Served | undefined): Promise<string | null> => {
    const response = await ask(node);
    return response.status === 200 ? ((await response.json()) as Ad).id : null;
  };
  const soon = (check: () => Promise<unknown>): Promise<void> => eventually(check, NEWS_MS);
  const totals = async (): Promise<unknown> => {
    const report = await one.run('server/commands/report/main.js', '--by', '', '--format', 'json');
    return (JSON.parse(report) as { total: unknown }).total;
  };
  const pointerOf = ({ dataDir }: Installation): string => readFileSync(path.join(dataDir, 'current'), 'utf8');
  const pageOf = async (node: Served | undefined): Promise<number> =>
    (await fetch(`${node!.origin}/admin/keys`, { headers: { cookie }, redirect: 'manual' })).status;
  /** Signs in at the first node. @returns the session's cookie; empty: the token is refused */
  const signIn = async (token: string): Promise<string> => {
    const signedIn = await fetch(`${first!.origin}/admin/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: first!.origin },
      body: new URLSearchParams({ token }),
      redirect: 'manual',
    });
    return signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  };
  /** Signs in once the node knows the token. It is asked seldom: ten sign-ins that come too early lock the address out. */
  const signInSoon = async (token: string): Promise<string> => {
    for (const deadline = Date.now() + NEWS_MS; ; await pause(1000)) {
      const made = await signIn(token);
      if (made !== '' || Date.now() > deadline) return made;
    }
  };
  const ready = async (node: Served | undefined): Promise<number> => (await fetch(`${node!.origin}/readyz`)).status;

  it('share one admin token, one demo key and one catalogue, which one of them indexed', () => {
    const outputs = [first!, second!].map((node) => node.output());
    expect(first!.demoKey).to.equal(second!.demoKey);
    expect(outputs.filter((output) => output.includes('admin token'))).to.have.length(1);
    expect(outputs.filter((output) => output.includes('Embedding'))).to.have.length(1);
    expect(pointerOf(one)).to.equal(pointerOf(other));
  });

  it('accept a key that was created at the other', () =>
    soon(async () => expect(await answeredBy(second)).to.equal(ANSWER)));

  it('apply a takedown that was made at the other', async () => {
    await other.run('server/commands/creatives/main.js', 'block', ANSWER);
    await soon(async () => expect(await answeredBy(first)).to.not.equal(ANSWER));
    await other.run('server/commands/creatives/main.js', 'unblock', ANSWER);
    await soon(async () => expect(await answeredBy(first)).to.equal(ANSWER));
    const audit = await one.run('server/commands/audit/main.js', '--json', '--kind', 'creative');
    expect((JSON.parse(audit) as { entries: unknown[] }).entries).to.have.length(2);
  });

  it('accept a dashboard session of the other', async () => {
    cookie = await signIn(readFileSync(path.join(one.dataDir, 'admin-token'), 'utf8').trim());
    expect(await pageOf(second)).to.equal(200);
  });

  it('refuse a viewer, and end the viewer’s session, as the other is told', async () => {
    const administrators = cookie;
    const created = await other.run('server/commands/access/main.js', 'create', '--name', 'Anna');
    const token = created.trimEnd().split('\n').at(-1)!;
    cookie = await signInSoon(token);
    expect(cookie).to.not.equal('');
    await soon(async () => expect(await pageOf(second)).to.equal(403));
    await one.run('server/commands/access/main.js', 'revoke', 'Anna');
    for (const node of [first, second]) await soon(async () => expect(await pageOf(node)).to.equal(303));
    cookie = administrators;
    expect(await pageOf(second)).to.equal(200);
  });

  it('bill an ad of one for a beacon at the other, once', async () => {
    const ad = (await (await ask(first)).json()) as Ad;
    const elsewhere = (url: string, node: Served): string => url.replace(first!.origin, node.origin);
    for (const node of [second!, first!, second!]) {
      expect((await fetch(elsewhere(ad.impressionUrl, node))).status).to.equal(200);
    }
    const click = await fetch(elsewhere(ad.targetUrl, second!), { redirect: 'manual' });
    expect(click.status).to.equal(302);
    await eventually(async () => expect(await totals()).to.deep.include({ impressions: 1, clicks: 1 }));
  });

  it('switch to a snapshot that one of them published, and back', async () => {
    const board = { name: 'Chess', text: 'Board games for four and more people, delivered tomorrow.' };
    const feed = writeFeed(temporaryDirectory(), [feedRow('chess-1', board)]);
    await one.run('indexer/main.js', feed, '--allow-shrink');
    await soon(async () => expect(pointerOf(other)).to.equal(pointerOf(one)));
    // Loading and checking it takes some more time.
    await eventually(async () => expect(await answeredBy(second)).to.equal('chess-1'), 30_000);
    await other.run('indexer/rollback.js');
    await soon(async () => expect(pointerOf(one)).to.equal(pointerOf(other)));
    for (const node of [first, second]) {
      await eventually(async () => expect(await answeredBy(node)).to.equal(ANSWER), 30_000);
    }
  });

  it('serve ads without the database, report that they are not ready, and recover by themselves', async () => {
    const seen = (await (await ask(second)).json()) as Ad;
    const ad = (await (await ask(second)).json()) as Ad;
    expect((await fetch(seen.impressionUrl)).status).to.equal(200);
    await link.cut();
    expect(await answeredBy(second)).to.equal(ANSWER);
    await eventually(async () => expect((await fetch(ad.impressionUrl)).status).to.equal(503), 15_000);
    await eventually(async () => expect(await ready(second)).to.equal(503), 20_000);
    expect(await answeredBy(second)).to.equal(ANSWER);
    expect(await pageOf(second)).to.equal(503);
    // Two clicks of one person on a creative within five seconds count once, and the previous test may have just
    // clicked.
    await pause(5_500);
    expect((await fetch(seen.targetUrl, { redirect: 'manual' })).status).to.equal(302);
    await link.mend();
    await eventually(async () => expect(await ready(second)).to.equal(200), 20_000);
    await eventually(async () => expect((await fetch(ad.impressionUrl)).status).to.equal(200), 15_000);
    // The click was spooled on disk.
    await eventually(async () => expect(await totals()).to.deep.include({ impressions: 3, clicks: 2 }), 30_000);
    await other.run('server/commands/creatives/main.js', 'block', ANSWER);
    await soon(async () => expect(await answeredBy(second)).to.not.equal(ANSWER));
  });

  /**
   * Publishes an ad while the second node is stopped.
   *
   * @returns the ad as served by the first
   */
  const publishUnnoticed = async (id: string): Promise<Ad> => {
    const folder = temporaryDirectory();
    writeFileSync(path.join(folder, 'board.png'), await picture('png', 60, 50 + Number(id.at(-1))));
    const board = { text: 'Board games for four and more people, delivered tomorrow.', image: 'board.png' };
    second!.child.kill('SIGSTOP');
    await one.run('indexer/main.js', writeFeed(folder, [feedRow(id, board)]), '--allow-shrink');
    let ad: Ad | undefined;
    await eventually(async () => {
      ad = (await (await ask(first)).json()) as Ad;
      expect(ad.id).to.equal(id);
    }, 30_000);
    return ad!;
  };
  const atSecond = (url: string): Promise<Response> =>
    fetch(url.replace(first!.origin, second!.origin), { redirect: 'manual' });
  const goOn = (): void => void second!.child.kill('SIGCONT');

  it('count a click on an ad of the other, and serve its image, before they have loaded its catalogue', async () => {
    const before = (await totals()) as { impressions: number; clicks: number };
    const ad = await publishUnnoticed('chess-2');
    expect((await fetch(ad.impressionUrl)).status).to.equal(200);
    const asked = [ad.targetUrl, ad.imageUrl!, ad.targetUrl.replace(/requestId=.*/, 'requestId=x')];
    const answering = Promise.all(asked.map(atSecond));
    await pause(600);
    goOn();
    const answers = await answering;
    expect(answers.map(({ status }) => status)).to.deep.equal([302, 200, 404]);
    // On a busy machine, the node was stopped for longer than it waits for the ledger; then the client must resend the
    // beacon.
    await eventually(async () => expect((await atSecond(ad.impressionUrl)).status).to.equal(200), 10_000);
    expect(answers[0]!.headers.get('location')).to.equal('https://shop.example/chess-2');
    const counted = { impressions: before.impressions + 1, clicks: before.clicks + 1 };
    await eventually(async () => expect(await totals()).to.deep.include(counted), 10_000);
  });

  it('serve no click or image of an ad that was taken down before they learned of it', async () => {
    const ad = await publishUnnoticed('chess-5');
    await one.run('server/commands/creatives/main.js', 'block', 'chess-5');
    const answering = Promise.all([ad.targetUrl, ad.imageUrl!].map(atSecond));
    await pause(300);
    goOn();
    expect((await answering).map(({ status }) => status)).to.deep.equal([410, 410]);
  });

  it('do not charge a click within half a second of its beacon, whichever node got that, but charge a later one', async () => {
    const row = feedRow('chess-4', {
      text: 'Board games for four and more people, delivered tomorrow.',
      pricing: { model: 'cpc', micros: 1000 },
    });
    await one.run('indexer/main.js', writeFeed(temporaryDirectory(), [row]), '--allow-shrink');
    await eventually(async () => expect(await answeredBy(first)).to.equal('chess-4'), 30_000);
    const ad = (await (await ask(first)).json()) as Ad;
    const outcomes = async (): Promise<string[]> => {
      const metrics = await (await atSecond(`${first!.origin}/metrics`)).text();
      return [...metrics.matchAll(/events_total{kind="click",outcome="([a-z-]+)"}/g)].map((each) => each[1]!);
    };
    const spent = async (): Promise<number> => Number(((await totals()) as { spend: string }).spend);
    const before = await spent();
    expect((await fetch(ad.impressionUrl)).status).to.equal(200);
    expect((await atSecond(ad.targetUrl)).status).to.equal(302);
    expect(await outcomes()).to.include('too-soon');
    // A second counted click within five seconds, on another ad of the creative, would be rapid.
    await pause(5_500);
    expect(await spent()).to.equal(before);
    expect((await atSecond(ad.targetUrl)).status).to.equal(302);
    await eventually(async () => expect(await spent()).to.be.closeTo(before + 0.001, 1e-9), 10_000);
  });

  it('ask the client to retry if they do not know an ad and the database is unreachable', async () => {
    const ad = await publishUnnoticed('chess-3');
    await link.cut();
    const answering = Promise.all([ad.targetUrl, ad.imageUrl!].map(atSecond));
    goOn();
    for (const answer of await answering) {
      expect(answer.status).to.equal(503);
      expect(answer.headers.get('retry-after')).to.equal('1');
    }
    await link.mend();
    await eventually(async () => expect((await atSecond(ad.targetUrl)).status).to.equal(302), 20_000);
  });
});

import { expect } from 'chai';
import { rm } from 'node:fs/promises';
import type { Ad } from '../../models/schema/ad.js';
import type { MatchRequest, Message } from '../../models/schema/match-request.js';
import { createClient } from '../../sdk/client.js';
import { eventually } from '../support/eventually.js';
import { Installation, match } from '../support/installation.js';
import { NO_AD, OBVIOUS } from '../support/obvious.js';
import { copySampleIndex } from '../support/sample-index.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

interface ReportJson {
  readonly rows: readonly Record<string, unknown>[];
  readonly total: Record<string, unknown>;
}

/** A feed goes in, ads come out, and every event counts once: real files, model, processes and HTTP. */
describe('the whole system over HTTP', function () {
  this.timeout(120_000);
  const adjacent = new Installation(temporaryDirectory());
  let origin: string;
  let key: string;
  const report = async (...args: string[]) =>
    JSON.parse(await adjacent.run('server/commands/report/main.js', '--format', 'json', ...args)) as ReportJson;

  before(async () => {
    await adjacent.indexSample();
    key = await adjacent.createKey('--publisher', 'Corner Café');
    ({ origin } = await adjacent.serve());
  });
  after(async () => {
    await adjacent.end();
    await rm(adjacent.dataDir, { recursive: true });
  });

  for (const [context, creative] of OBVIOUS) {
    it(`serves ${creative} for "${context.split('User: ').at(-1)}"`, async () => {
      const response = await match(origin, key, context);
      expect(response.status).to.equal(200);
      const ad = (await response.json()) as Ad;
      expect(ad.id).to.equal(creative);
      expect(ad.score).to.be.within(0.5, 1);
    });
  }

  for (const context of NO_AD) {
    it(`serves no ad for "${context.split('User: ').at(-1)}"`, async () => {
      const response = await match(origin, key, context);
      expect(response.status).to.equal(404);
      expect(response.headers.get('x-adjacent-reason')).to.be.oneOf(['below-floor', 'sensitive']);
    });
  }

  it('counts impression and click once, redirects the click to the advertiser, and reports both', async () => {
    const ad = (await (await match(origin, key, OBVIOUS[0]![0])).json()) as Ad;
    for (let load = 0; load < 3; load++) {
      const pixel = await fetch(ad.impressionUrl);
      expect(pixel.status).to.equal(200);
      expect(pixel.headers.get('content-type')).to.equal('image/gif');
    }
    for (let follow = 0; follow < 2; follow++) {
      const target = await fetch(ad.targetUrl, { redirect: 'manual' });
      expect(target.status).to.equal(302);
      expect(target.headers.get('location')).to.match(/^https:\/\/[a-z0-9-]+\.example\//);
    }
    await eventually(async () => {
      const { rows } = await report('--by', 'publisher,creative');
      const row = rows.find((candidate) => candidate['creative'] === ad.id);
      expect(row).to.include({ publisher: 'Corner Café', impressions: 1, clicks: 1 });
      expect(row!['ignored']).to.deep.include({ repeated: 3 });
      const { total } = await report('--by', '');
      expect(total).to.include({
        decisions: OBVIOUS.length + NO_AD.length + 1,
        fills: OBVIOUS.length + 1,
        impressions: 1,
      });
    });
  });

  for (const context of [...OBVIOUS.map(([context]) => context), ...NO_AD]) {
    it(`makes the same decision on "${context.split('User: ').at(-1)}" as messages, as text with role marks and as plain text`, async () => {
      const messages = turnsOf(context);
      const forms = [{ messages }, { context: 'User: something else', messages }];
      const [first] = messages;
      // Plain text has no turns: in a conversation of several, nothing marks where one ends.
      const bare = messages.length === 1 ? [{ context: first!.content as string }] : [];
      const expected = await decisionOn(context);
      for (const form of [...forms, ...bare]) expect(await decisionOn(form)).to.deep.equal(expected);
    });
  }

  const decisionOn = async (conversation: string | MatchRequest) => {
    const response = await match(origin, key, conversation);
    const { id, score } = (await response.json()) as Partial<Ad>;
    return { status: response.status, reason: response.headers.get('x-adjacent-reason'), id, score };
  };

  it('serves the REST client, and counts the impression that the client records', async () => {
    const client = createClient({ apiKey: await adjacent.createKey('--publisher', 'Backend'), baseUrl: origin });
    // A new key is valid within about a second; a busy machine may take longer.
    await eventually(async () => {
      const { ad } = await client.match({ context: OBVIOUS[3]![0] });
      expect(ad?.id).to.equal(OBVIOUS[3]![1]);
      expect(await client.impression(ad!)).to.equal(true);
    });
    expect(await client.match({ context: NO_AD[0]! })).to.deep.include({ ad: null, reason: 'below-floor' });
    await eventually(async () => {
      const { rows } = await report('--by', 'publisher');
      expect(rows.find((row) => row['publisher'] === 'Backend')).to.include({ impressions: 1 });
    });
  });

  it('serves images that any site can load', async () => {
    const ad = (await (await match(origin, key, OBVIOUS[1]![0])).json()) as Ad;
    expect(ad.imageUrl).to.be.a('string');
    const image = await fetch(ad.imageUrl!);
    expect(image.status).to.equal(200);
    expect(image.headers.get('content-type')).to.match(/^image\//);
    expect(image.headers.get('access-control-allow-origin')).to.equal('*');
  });
});

/** Splits a conversation with role marks into turns. */
const turnsOf = (context: string): Message[] =>
  [...context.matchAll(/^(User|Assistant): (.*)$/gm)].map(([, speaker, content]) => ({
    role: speaker === 'User' ? 'user' : 'assistant',
    content: content!,
  }));

describe('a server that is killed while it counts impressions', function () {
  this.timeout(120_000);

  it('loses none that it acknowledged', async () => {
    const adjacent = new Installation(temporaryDirectory());
    try {
      await copySampleIndex(adjacent.dataDir);
      const key = await adjacent.createKey('--publisher', 'Killed');
      const { origin, child } = await adjacent.serve();
      const ads: Ad[] = [];
      for (let at = 0; at < 40; at++) {
        ads.push((await (await match(origin, key, OBVIOUS[at % OBVIOUS.length]![0])).json()) as Ad);
      }
      let acknowledged = 0;
      const beacons = ads.map(async ({ impressionUrl }, at) => {
        await new Promise((resolve) => setTimeout(resolve, at * 3));
        const { status } = await fetch(impressionUrl);
        if (status === 200 && ++acknowledged === 15) child.kill('SIGKILL');
      });
      await Promise.allSettled(beacons);
      // Its connections may end before the exit is reported.
      await eventually(() => expect(child.signalCode).to.equal('SIGKILL'));
      const { total } = JSON.parse(
        await adjacent.run('server/commands/report/main.js', '--format', 'json', '--by', ''),
      ) as ReportJson;
      expect(total['impressions']).to.be.within(acknowledged, ads.length);
      expect(acknowledged).to.be.at.least(15);
    } finally {
      await adjacent.end();
      await rm(adjacent.dataDir, { recursive: true });
    }
  });
});

import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Ad } from '../../models/schema/ad.js';
import { API } from '../../server/domain/urls.js';
import { writeFeed } from '../support/feed.js';
import { eventually, WITHIN_A_SECOND_MS } from '../support/eventually.js';
import { Installation, match } from '../support/installation.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const SAMPLE = fileURLToPath(new URL('../../../indexer/sample/creatives.jsonl', import.meta.url));
const TYRES = 'User: I need winter tires';
/** Three impressions of 0.002 each. */
const WINTER = { campaign: 'Winter', pricing: { model: 'cpm', micros: 2_000_000 }, budgetMicros: 6000 };

interface Row {
  readonly campaign: string | null;
  readonly impressions: number;
  readonly clicks: number;
  readonly spend: string;
  readonly ignored: Readonly<Record<string, number>>;
}

/** A campaign of the feed, its budget and its events: real files, model, processes and HTTP. */
describe('a campaign over HTTP', function () {
  this.timeout(120_000);
  const folder = temporaryDirectory();
  const adjacent = new Installation(path.join(folder, 'data'));
  let origin: string;
  let key: string;
  let demoKey: string;

  before(async () => {
    const rows = readFileSync(SAMPLE, 'utf8').trimEnd().split('\n');
    const feed = rows.map((row) => {
      const { image: _, ...creative } = JSON.parse(row) as { id: string; image?: string };
      return creative.id.startsWith('tyres-') ? { ...creative, ...WINTER } : creative;
    });
    await adjacent.run('indexer/main.js', writeFeed(folder, feed));
    key = await adjacent.createKey('--publisher', 'Chat');
    ({ origin, demoKey } = await adjacent.serve());
  });
  after(async () => {
    await adjacent.end();
    await rm(folder, { recursive: true });
  });

  const campaigns = (...args: string[]) => adjacent.run('server/commands/campaigns/main.js', ...args);
  const ads = async (count: number, asked = key): Promise<Ad[]> => {
    const answers = await Promise.all(Array.from({ length: count }, () => match(origin, asked, TYRES)));
    const filled = await Promise.all(answers.filter(({ ok }) => ok).map(async (answer) => (await answer.json()) as Ad));
    return filled.filter(({ id }) => id.startsWith('tyres-'));
  };
  const follow = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });
  const winter = async (...args: string[]): Promise<Row> => {
    const out = await adjacent.run('server/commands/report/main.js', '--format', 'json', '--by', 'campaign', ...args);
    const { rows } = JSON.parse(out) as { rows: Row[] };
    return rows.find(({ campaign }) => campaign === 'Winter')!;
  };

  it('is served no more often than its budget allows, however many requests come at once', async () => {
    for (let shown = 0; shown < 3; shown++) {
      // So little budget is left that only one ad may be reserved at a time. Recent spend may count twice until it is
      // read again.
      let answered: Ad[] = [];
      await eventually(async () => expect((answered = await ads(6))).to.not.deep.equal([]));
      expect(answered).to.have.length(1);
      await follow(answered[0]!.impressionUrl);
    }
    expect(await winter()).to.deep.include({ impressions: 3, spend: '0.006000' });
    expect(await ads(3)).to.deep.equal([]);
  });

  it('is served again within a second of a larger budget, and not within a second of a pause', async () => {
    await campaigns('set', 'Winter', '--budget', '0.010');
    await eventually(async () => expect(await ads(1)).to.have.length(1), WITHIN_A_SECOND_MS);
    await campaigns('set', 'Winter', '--pause');
    await eventually(async () => expect(await ads(1)).to.have.length(0), WITHIN_A_SECOND_MS);
    await campaigns('set', 'Winter', '--resume', '--budget', '0.100');
    await eventually(async () => expect(await ads(1)).to.have.length(1), WITHIN_A_SECOND_MS);
  });

  it('is not charged for an impression once its budget is spent', async () => {
    const [late] = await ads(1);
    await campaigns('set', 'Winter', '--budget', '0.006');
    await eventually(async () => expect(await ads(1)).to.have.length(0), WITHIN_A_SECOND_MS);
    expect((await follow(late!.impressionUrl)).status).to.equal(200);
    const { spend, ignored, impressions } = await winter();
    expect([spend, impressions, ignored['over-budget']]).to.deep.equal(['0.006000', 3, 1]);
    await campaigns('set', 'Winter', '--budget', '1.00');
    await eventually(async () => expect(await ads(1)).to.have.length(1), WITHIN_A_SECOND_MS);
  });

  it('counts a free click before its impression, and one of three simultaneous clicks on the same creative', async () => {
    const before = await winter();
    const [one, other, third] = await ads(3);
    for (const { targetUrl } of [one!, other!]) expect((await follow(targetUrl)).status).to.equal(302);
    const disguise = { 'x-forwarded-for': '203.0.113.9', 'user-agent': 'Another' };
    await follow(third!.targetUrl, { headers: disguise });
    await follow(one!.impressionUrl);
    await eventually(async () => {
      const { clicks, impressions, ignored } = await winter();
      expect([clicks, impressions, ignored['rapid']]).to.deep.equal([before.clicks + 1, before.impressions + 1, 2]);
    });
  });

  it('has its ignored events reported by reason, and those of test keys separately', async () => {
    const [ad] = await ads(1);
    const { targetUrl, impressionUrl } = ad!;
    await follow(impressionUrl, { method: 'HEAD' });
    await follow(impressionUrl, { headers: { 'sec-purpose': 'prefetch' } });
    await follow(impressionUrl, { headers: { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' } });
    await follow(targetUrl.replace(`/target/${ad!.id}`, '/target/flights-1'));
    await follow(impressionUrl);
    await follow(impressionUrl);
    await eventually(async () => {
      expect((await winter()).ignored).to.include({
        head: 1,
        prefetch: 1,
        crawler: 1,
        'wrong-creative': 1,
        repeated: 1,
      });
    });
    await follow(`${origin}${API}/beacon`);
    await follow(`${origin}${API}/beacon?requestId=forged`);
    await eventually(async () => {
      const out = await adjacent.run('server/commands/report/main.js', '--format', 'json', '--by', '');
      expect((JSON.parse(out) as { total: Row }).total.ignored).to.include({ missing: 1, invalid: 1 });
    });
    const [tried] = await ads(1, demoKey);
    await follow(tried!.impressionUrl);
    await eventually(async () => expect(await winter('--test')).to.deep.include({ impressions: 1, spend: '0.000000' }));
  });
});

import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Ad } from '../../../models/schema/ad.js';
import { eventually, WITHIN_A_SECOND_MS } from '../../support/eventually.js';
import { feedRow, writeFeed } from '../../support/feed.js';
import { Installation, match } from '../../support/installation.js';
import { PNG } from '../../support/png.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const CONTEXT = 'Which waterproof hiking boots are good for long days in the hills?';
const BOOTS = { name: 'Hill boots', text: 'Waterproof hiking boots for long days in the hills.' };

/** Real files, model, processes and HTTP. */
describe('a creative that is taken down', function () {
  this.timeout(180_000);
  const folder = temporaryDirectory();
  const adjacent = new Installation(path.join(folder, 'data'));
  let origin: string;
  let key: string;
  let ad: Ad;
  before(async () => {
    writeFileSync(path.join(folder, 'boots.png'), PNG);
    const boots = feedRow('boots-1', { ...BOOTS, image: 'boots.png' });
    await adjacent.run('indexer/main.js', writeFeed(folder, [boots, feedRow('tea-1')]));
    key = await adjacent.createKey('--publisher', 'Chat');
    await adjacent.run('server/commands/keys/main.js', 'set', '--publisher', 'Chat', '--floor', '0');
    ({ origin } = await adjacent.serve());
    const answer = await match(origin, key, CONTEXT);
    expect(answer.status).to.equal(200);
    ad = (await answer.json()) as Ad;
    expect(ad.id).to.equal('boots-1');
  });
  after(async () => {
    await adjacent.end();
    rmSync(folder, { recursive: true });
  });

  const creatives = (...args: string[]) => adjacent.run('server/commands/creatives/main.js', ...args);
  /** Clicks that were answered with 410. */
  let clicksOnNothing = 0;
  const statuses = async () => {
    const urls = [ad.targetUrl, ad.imageUrl!];
    const both = await Promise.all(urls.map(async (url) => (await fetch(url, { redirect: 'manual' })).status));
    if (both[0] === 410) clicksOnNothing++;
    return both;
  };
  /** Clicks on the creative by whether they counted and, if they did not, why. */
  const reported = async () => {
    const out = await adjacent.run('server/commands/report/main.js', '--format', 'json', '--by', 'creative');
    const { rows } = JSON.parse(out) as {
      rows: { creative: string; clicks: number; ignored: Record<string, number> }[];
    };
    const { clicks, ignored } = rows.find(({ creative }) => creative === 'boots-1')!;
    return { clicks, takenDown: ignored['taken-down'] };
  };
  const answered = async (): Promise<string | null> => {
    const answer = await match(origin, key, CONTEXT);
    return answer.ok ? ((await answer.json()) as Ad).id : null;
  };

  it('is answered no more, and its target and image are gone, within a second', async () => {
    expect(await statuses()).to.deep.equal([302, 200]);
    expect(await creatives('block', 'boots-1', '--reason', 'no licence')).to.include('boots-1 is taken down');
    await eventually(async () => expect(await statuses()).to.deep.equal([410, 410]), WITHIN_A_SECOND_MS);
    expect(await answered()).to.not.equal('boots-1');
    // What was shown was shown: the pixel is answered as ever.
    expect((await fetch(ad.impressionUrl)).status).to.equal(200);
    expect(await creatives('list'))
      .to.include('boots-1')
      .and.include('no licence');
    // What is ignored without the ledger's word is written within a second. The target may be gone before the image is:
    // then there was more than one such click.
    expect(clicksOnNothing).to.be.at.least(1);
    const expected = { clicks: 1, takenDown: clicksOnNothing };
    await eventually(async () => expect(await reported()).to.deep.equal(expected), WITHIN_A_SECOND_MS);
  });

  it('stays gone when it has left the feed, and when a feed brings it again', async () => {
    const tea = feedRow('tea-1');
    await adjacent.run('indexer/main.js', writeFeed(folder, [tea]), '--allow-shrink');
    await eventually(async () => expect(await answered()).to.equal('tea-1'));
    expect(await statuses()).to.deep.equal([410, 410]);
    const boots = feedRow('boots-1', { ...BOOTS, image: 'boots.png' });
    await adjacent.run('indexer/main.js', writeFeed(folder, [boots]), '--allow-shrink');
    await eventually(async () => expect(await answered()).to.equal(null));
    expect(await statuses()).to.deep.equal([410, 410]);
  });

  it('runs again once that is said, and no other id is taken by mistake', async () => {
    await creatives('unblock', 'boots-1');
    await eventually(async () => expect(await statuses()).to.deep.equal([302, 200]), WITHIN_A_SECOND_MS);
    await eventually(async () => expect(await answered()).to.equal('boots-1'));
    const refused = async (...args: string[]) => String(await creatives(...args).catch((error: unknown) => error));
    expect(await refused('block', 'boots-2'))
      .to.include('near it: "boots-1"')
      .and.include('--new');
    expect(await refused('unblock', 'boots-1')).to.include('not taken down');
    expect(await creatives('block', 'boots-2', '--new')).to.include('boots-2 is taken down');
    expect(await refused('unblock', 'boots-3')).to.include('near it: "boots-2"');
  });
});

import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Ad } from '../../../models/schema/ad.js';
import { eventually, WITHIN_A_SECOND_MS } from '../../support/eventually.js';
import { feedRow, writeFeed } from '../../support/feed.js';
import { Installation, match } from '../../support/installation.js';
import { PNG } from '../../support/png.js';
import { publishTestSnapshot, testCreative } from '../../support/test-snapshot.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const CONTEXT = 'Which waterproof hiking boots are good for long days in the hills?';
const BOOTS = { name: 'Hill boots', text: 'Waterproof hiking boots for long days in the hills.' };

/** Uses real files, models, processes and HTTP. */
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
  /** Number of clicks answered with 410. */
  let clicksOnNothing = 0;
  const statuses = async () => {
    const urls = [ad.targetUrl, ad.imageUrl!];
    const both = await Promise.all(urls.map(async (url) => (await fetch(url, { redirect: 'manual' })).status));
    if (both[0] === 410) clicksOnNothing++;
    return both;
  };
  /** The creative's counted clicks, and those ignored as `taken-down`. */
  const reported = async () => {
    const out = await adjacent.run('server/commands/report/main.js', '--format', 'json', '--by', 'creative');
    const { rows } = JSON.parse(out) as {
      rows: { creative: string; clicks: number; ignored: Record<string, number> }[];
    };
    const { clicks, ignored } = rows.find(({ creative }) => creative === 'boots-1')!;
    return { clicks, takenDown: ignored['taken-down'] };
  };
  const servedId = async (): Promise<string | null> => {
    const answer = await match(origin, key, CONTEXT);
    return answer.ok ? ((await answer.json()) as Ad).id : null;
  };

  it('is no longer served, and its target and image answer 410, within a second', async () => {
    expect(await statuses()).to.deep.equal([302, 200]);
    expect(await creatives('block', 'boots-1', '--reason', 'no licence')).to.include('boots-1 is taken down');
    await eventually(async () => expect(await statuses()).to.deep.equal([410, 410]), WITHIN_A_SECOND_MS);
    expect(await servedId()).to.not.equal('boots-1');
    // The ad was shown: its impression still counts.
    expect((await fetch(ad.impressionUrl)).status).to.equal(200);
    expect(await creatives('list'))
      .to.include('boots-1')
      .and.include('no licence');
    // Events that are ignored before they reach the ledger are written within a second. If the target was gone before
    // the image, there was more than one such click.
    expect(clicksOnNothing).to.be.at.least(1);
    const expected = { clicks: 1, takenDown: clicksOnNothing };
    await eventually(async () => expect(await reported()).to.deep.equal(expected), WITHIN_A_SECOND_MS);
  });

  it('stays down after it has left the feed, and when a feed has it again', async () => {
    const tea = feedRow('tea-1');
    await adjacent.run('indexer/main.js', writeFeed(folder, [tea]), '--allow-shrink');
    await eventually(async () => expect(await servedId()).to.equal('tea-1'));
    expect(await statuses()).to.deep.equal([410, 410]);
    const boots = feedRow('boots-1', { ...BOOTS, image: 'boots.png' });
    await adjacent.run('indexer/main.js', writeFeed(folder, [boots]), '--allow-shrink');
    await eventually(async () => expect(await servedId()).to.equal(null));
    expect(await statuses()).to.deep.equal([410, 410]);
  });

  it('runs again after unblock, and a mistyped id is refused with a suggestion', async () => {
    await creatives('unblock', 'boots-1');
    await eventually(async () => expect(await statuses()).to.deep.equal([302, 200]), WITHIN_A_SECOND_MS);
    await eventually(async () => expect(await servedId()).to.equal('boots-1'));
    const refused = async (...args: string[]) => String(await creatives(...args).catch((error: unknown) => error));
    expect(await refused('block', 'boots-2'))
      .to.include('near it: "boots-1"')
      .and.include('--new');
    expect(await refused('unblock', 'boots-1')).to.include('not taken down');
    expect(await creatives('block', 'boots-2', '--new')).to.include('boots-2 is taken down');
    expect(await refused('unblock', 'boots-3')).to.include('near it: "boots-2"');
  });

  it('works for a live creative although ledger and table of landing URLs are damaged', async () => {
    const damaged = new Installation(path.join(folder, 'damaged'));
    await publishTestSnapshot(damaged.dataDir, [testCreative('live')]);
    for (const file of ['ledger.sqlite', 'landing-urls.json'])
      writeFileSync(path.join(damaged.dataDir, file), 'x'.repeat(8192));
    const block = (...args: string[]) => damaged.attempt('server/commands/creatives/main.js', 'block', ...args);
    expect((await block('live')).stdout).to.include('live is taken down');
    const { code, stderr } = await block('gone');
    expect(code).to.equal(1);
    expect(stderr).to.include('Nothing was taken down; --new takes it down without looking for it');
    expect((await block('gone', '--new')).stdout).to.include('gone is taken down');
  });
});

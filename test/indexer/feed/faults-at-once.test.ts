import { expect } from 'chai';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { checkFeed } from '../../../indexer/feed/check-feed.js';
import { readFeed } from '../../../indexer/feed/read-feed.js';
import { feedRow, writeFeed } from '../../support/feed.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { testCreative } from '../../support/test-snapshot.js';

describe('one check of a feed', () => {
  const root = temporaryDirectory();
  const folder = path.join(root, 'feed');
  before(() => mkdirSync(folder));
  after(() => rmSync(root, { recursive: true }));

  const rival = testCreative('r', { advertiser: 'Rival', source: 'rival' });
  const run = async (rows: readonly unknown[]) => {
    const file = writeFeed(folder, rows);
    const rules = {
      timeZone: 'UTC',
      currency: 'EUR',
      now: Date.parse('2026-06-01T12:00:00Z'),
      source: 'b',
      others: [rival],
    };
    const checked = await checkFeed(await readFeed(file), file, rules);
    return {
      ids: checked.rows.map(({ creative }) => creative.id),
      fields: checked.faults.map(({ position, field }) => `${position!.line} ${field}`),
    };
  };

  it('reports what needs more than the form of a field, even if other fields have the wrong form', async () => {
    const row = feedRow('a', {
      name: ' ',
      landingUrl: 'https://u:p@shop.example',
      advertiser: 'Rival',
      categories: ['\u0007'],
      startsAt: '2026-02-30',
      endsAt: '2026-05-01',
      language: 'qx',
      countries: ['XX'],
      image: 'images/none.png',
      budget: 'much',
    });
    const { fields } = await run([row]);
    const expected = 'name landingUrl advertiser categories.0 startsAt endsAt language countries.0 image budget';
    expect(fields).to.have.members(expected.split(' ').map((field) => `1 ${field}`));
  });

  it('reports where a row with other faults disagrees with its campaign, which stays usable without it', async () => {
    const summer = { campaign: 'summer', budget: '5', endsAt: '2027-01-01' };
    const { ids, fields } = await run([
      feedRow('a', { ...summer, name: ' ', budget: '6' }),
      feedRow('b', summer),
      feedRow('b', { ...summer, endsAt: '2027-01-02' }),
      feedRow('c', { ...summer, advertiser: 'Rival', budget: '7' }),
    ]);
    expect(ids).to.deep.equal(['b']);
    expect(fields).to.deep.equal(['1 name', '1 budget', '3 id', '3 endsAt', '4 advertiser']);
  });

  it('reports no fault that only follows from another', async () => {
    const summer = { campaign: 'summer', budget: '5', pricing: { model: 'cpc' }, price: '1' };
    const { fields } = await run([
      feedRow('a', summer),
      feedRow('b', { campaign: 'summer', Budget: '5', pricing: { model: 'cpc' }, price: 'free' }),
      feedRow('c', { ...summer, campaign: 7, budget: '9' }),
      feedRow('d', { text: '', image: 7 }),
      feedRow('e', { text: '', Image: 'images/good.png' }),
    ]);
    expect(fields).to.deep.equal(['2 Budget', '2 price', '3 campaign', '4 image', '5 Image']);
  });
});

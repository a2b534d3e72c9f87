import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { checkFeed } from '../../../indexer/feed/check-feed.js';
import { readFeed } from '../../../indexer/feed/read-feed.js';
import { feedRow, writeFeed } from '../../support/feed.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { testCreative } from '../../support/test-snapshot.js';

describe('warnings about a feed', () => {
  const folder = temporaryDirectory();
  after(() => rmSync(folder, { recursive: true }));

  const warningsOf = async (rows: readonly unknown[], others: Parameters<typeof testCreative>[] = []) => {
    const file = writeFeed(folder, rows);
    const { faults, warnings } = await checkFeed(await readFeed(file), file, {
      timeZone: 'UTC',
      currency: 'EUR',
      now: 0,
      sharedAdvertisers: ['NIKE'],
      others: others.map((creative) => testCreative(...creative)),
    });
    expect(faults).to.deep.equal([]);
    return warnings;
  };

  it('name what people would read of a broken export, once each, with the number of rows', async () => {
    expect(
      await warningsOf([
        feedRow('a', { text: 'Light <b class="x">boots</b>' }),
        feedRow('b', { name: 'Boots &amp; shoes' }),
        feedRow('c', { text: 'M\u00c3\u00b6bel' }),
        feedRow('d', { text: 'The shop\u00e2\u20ac\u2122s own' }),
        feedRow('e', { name: 'M\ufffdbel' }),
      ]),
    ).to.deep.equal([
      '2 rows (first at line 1) may have HTML, which is shown as it is written: “<b class="x">”',
      '2 rows (first at line 3) may have text that was decoded wrongly: “\u00c3\u00b6”',
      '1 row (first at line 5) may have characters that an earlier program could not decode: “\ufffd”',
    ]);
  });

  it('name single categories that look like lists', async () => {
    const lists = [['Shoes;Sale'], ['Shoes, Sale, Boots'], ['Health, Beauty & Care'], ['Shoes;Sale', 'Boots'], []];
    expect(await warningsOf(lists.map((categories, at) => feedRow(`a${at}`, { categories })))).to.deep.equal([
      '2 rows (first at line 1) may have several categories in one; separate them by | in CSV, or list them one by one in JSON',
    ]);
  });

  it('name long texts', async () => {
    const rows = [300, 301, 4000].map((length, at) => feedRow(`a${at}`, { text: 'x'.repeat(length) }));
    expect(await warningsOf(rows)).to.deep.equal([
      '2 rows (first at line 2) have more than 300 characters of text, all of which an ad shows',
    ]);
  });

  it('leave text alone that is meant so', async () => {
    const texts = [
      '5 < 6 > 4',
      'I <3 R&D; really',
      'S\u00c3O PAULO',
      'pâté à la Garçon',
      'Müller & Söhne',
      'Tom&Jerry <you@a.example>',
    ];
    expect(await warningsOf(texts.map((text, at) => feedRow(`a${at}`, { text })))).to.deep.equal([]);
  });

  it('name advertisers and campaigns in several spellings, which have budgets of their own', async () => {
    const rows = [
      feedRow('a', { advertiser: 'Nike', campaign: 'Spring' }),
      feedRow('b', { advertiser: 'NIKE', campaign: 'Spring' }),
      feedRow('c', { advertiser: 'NIKE', campaign: 'Spring' }),
      feedRow('d', { advertiser: 'Puma', campaign: 'Spring' }),
      feedRow('e', { advertiser: 'Puma', campaign: 'spring' }),
      feedRow('f', { campaign: 'SPRING' }),
    ];
    expect(await warningsOf(rows)).to.deep.equal([
      'advertiser “NIKE” (at line 2) is written “Nike” at line 1; each has budgets of its own: write it in one way',
      'campaign “spring” (at line 5) is written “Spring” at line 4; each has budgets of its own: write it in one way',
    ]);
    expect(await warningsOf([rows[1]], [['n', { advertiser: 'Nike', source: 'shop' }]])).to.deep.equal([
      'advertiser “NIKE” (at line 1) is written “Nike” in source shop; each has budgets of its own: write it in one way',
    ]);
    expect(await warningsOf([rows[0], rows[3]])).to.deep.equal([]);
  });
});

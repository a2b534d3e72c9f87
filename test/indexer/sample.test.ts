import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { checkFeed } from '../../indexer/feed/check-feed.js';
import { readFeed } from '../../indexer/feed/read-feed.js';
import type { FeedRow } from '../../models/schema/creative.js';
import { detectLanguage } from '../../models/text/detect-language.js';
import { readJsonLines } from '../eval/set.js';

const sample = fileURLToPath(new URL('../../../indexer/sample/creatives.jsonl', import.meta.url));

describe('the sample catalogue', () => {
  const rows = readJsonLines<FeedRow>(sample);
  const inLanguage = (tag: string) => rows.filter(({ language }) => language === tag);

  it('is a feed without a fault or a warning', async () => {
    const rules = { timeZone: 'UTC', currency: 'EUR', now: Date.now() };
    const { faults, fatal, warnings, total } = await checkFeed(await readFeed(sample), sample, rules);
    expect([...faults, ...fatal, ...warnings]).to.deep.equal([]);
    expect(total).to.equal(462);
  });

  it('links to no real advertiser', () => {
    for (const { id, landingUrl } of rows) expect(new URL(landingUrl).hostname, id).to.match(/\.example$/);
  });

  it('names only pictures that are in its folder', () => {
    const pictures = rows.flatMap(({ image }) => image ?? []);
    expect(pictures.filter((image) => !existsSync(path.join(path.dirname(sample), image)))).to.deep.equal([]);
  });

  for (const language of ['de', 'es', 'ja', 'hi']) {
    it(`has 25 different ads in "${language}", written in that language`, () => {
      const ads = inLanguage(language);
      expect(ads).to.have.length(25);
      expect(new Set(ads.map(({ name }) => name)).size).to.equal(25);
      for (const { id, name, text } of ads) {
        expect(id).to.match(new RegExp(`^${language}-[a-z-]+-\\d$`));
        expect(detectLanguage(`${name}. ${text}`), id).to.equal(language);
      }
    });

    it(`gives its ads in "${language}" categories that English ads have`, () => {
      const [known, used] = [rows.filter((row) => !row.language), inLanguage(language)].map(
        (ads) => new Set(ads.flatMap(({ categories = [] }) => categories)),
      );
      expect([...used!].filter((category) => !known!.has(category))).to.deep.equal([]);
    });
  }
});

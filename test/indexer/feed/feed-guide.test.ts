import { expect } from 'chai';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkFeed } from '../../../indexer/feed/check-feed.js';
import { readFeed } from '../../../indexer/feed/read-feed.js';
import { FeedRow } from '../../../models/schema/creative.js';
import { MappingFile } from '../../../indexer/mapping/mapping.js';
import { checkMapped } from '../../support/mapped-feed.js';
import { PNG } from '../../support/png.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const guide = readFileSync(fileURLToPath(new URL('../../../../indexer/FEED.md', import.meta.url)), 'utf8');
/** Returns a code block of the guide, by its language and its place among those. */
const example = (language: string, at = 0): string =>
  [...guide.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))][at]![1]!;

describe('FEED.md', () => {
  const folder = temporaryDirectory();
  before(() => {
    mkdirSync(path.join(folder, 'images'));
    writeFileSync(path.join(folder, 'images/boots.png'), PNG);
  });
  after(() => rmSync(folder, { recursive: true }));

  const checked = async (name: string, text: string) => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    const rules = { timeZone: 'Europe/Berlin', currency: 'EUR', now: Date.parse('2030-01-01T00:00:00Z') };
    const { rows, faults, fatal, warnings } = await checkFeed(await readFeed(file), file, rules);
    expect({ faults, fatal, warnings }).to.deep.equal({ faults: [], fatal: [], warnings: [] });
    return rows.map(({ creative }) => creative);
  };

  it('shows one creative in both forms, with every field', async () => {
    const json = await checked('feed.jsonl', example('json'));
    expect(await checked('feed.csv', example('csv'))).to.deep.equal(json);
    expect(json).to.have.length(1);
    expect(json[0]).to.include({ startsAt: '2031-02-28T23:00:00.000Z', endsAt: '2031-03-31T22:00:00.000Z' });
    expect(json[0]).to.deep.include({ pricing: { model: 'cpm', micros: 2_500_000 }, budgetMicros: 500_000_000 });
    const fields = Object.keys(FeedRow.properties).filter((name) => !name.endsWith('Micros'));
    expect(Object.keys(JSON.parse(example('json')) as object)).to.have.members(fields);
  });

  it('shows a mapping that makes an ad of a feed with other columns', async () => {
    const mapping = JSON.parse(example('json', 1)) as object;
    const { rows, faults, mapped } = await checkMapped(folder, 'artikel.csv', example('csv', 1), { mapping });
    expect([faults, [...mapped!.leftOut]]).to.deep.equal([[], [['with Lagerstatus “ausverkauft”', 1]]]);
    expect(rows).to.have.length(1);
    expect(rows[0]).to.deep.include({
      id: '4711',
      text: 'Wasserdicht, leicht & neu besohlbar.',
      landingUrl: 'https://shop.example/p/4711',
      categories: ['Schuhe', 'Wandern'],
      dailyBudgetMicros: 25_000_000,
    });
  });

  it('has a row for every key of a mapping file', () => {
    const keys = [...guide.matchAll(/^\| `(\w+)` \| /gm)].map(([, name]) => name!);
    expect(keys).to.include.members(Object.keys(MappingFile.properties));
  });

  it('has a row for every field, and shows which ones are required', () => {
    const fields = [...guide.matchAll(/^\| `(\w+)`(?: ¹)? \| (required)? ?\|/gm)].map(([, name, required]) => [
      name,
      required,
    ]);
    const required = new Set<string>(FeedRow.required);
    expect(fields.filter(([name]) => name !== 'cpm' && name !== 'cpc')).to.deep.equal(
      Object.keys(FeedRow.properties).map((name) => [name, required.has(name) ? 'required' : undefined]),
    );
  });
});

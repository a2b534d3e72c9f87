import { expect } from 'chai';
import fc from 'fast-check';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkFeed } from '../../../indexer/feed/check-feed.js';
import { MAX_FAULTS } from '../../../indexer/feed/feed-entry.js';
import { foreignFormat } from '../../../indexer/feed/foreign-format.js';
import { readJsonArray, readJsonLines } from '../../../indexer/feed/json-feed.js';
import { readFeed } from '../../../indexer/feed/read-feed.js';
import { checker } from '../../../models/schema/check.js';
import { Creative } from '../../../models/schema/creative.js';
import { feedRow } from '../../support/feed.js';
import { altered, anyJson, anyText, damaged } from '../../support/hostile-values.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** Whatever a feed contains, an index run reports what is wrong and where, and never crashes. */
describe('a feed with arbitrary content', () => {
  const folder = temporaryDirectory();
  after(() => rmSync(folder, { recursive: true }));

  const isCreative = checker(Creative);
  /** Reads and checks a feed. The result must be valid for any content, unless it is refused as no feed. */
  const check = async (extension: string, content: string | Buffer): Promise<readonly string[]> => {
    const file = path.join(folder, `feed${extension}`);
    writeFileSync(file, content);
    const foreign = foreignFormat(Buffer.from(content));
    if (foreign !== null) {
      expect(await readFeed(file).catch(String)).to.equal(`Error: it is ${foreign}`);
      return [];
    }
    const feed = await readFeed(file);
    const { rows, faults, fatal, total } = await checkFeed(feed, file, { timeZone: 'UTC', currency: 'USD', now: 0 });
    const lines = Buffer.from(content)
      .toString('utf8')
      .split(/\r\n|\n|\r/).length;
    for (const { position, message } of [...faults, ...fatal]) {
      expect(message).to.not.equal('');
      if (position !== null) expect(position.line).to.be.within(1, lines);
    }
    for (const { creative } of rows) expect(isCreative(creative)).to.include({ ok: true });
    expect(rows.length).to.be.at.most(total);
    return rows.map(({ creative }) => creative.id);
  };

  const full = feedRow('full', {
    advertiser: 'Green',
    campaign: 'Spring',
    categories: ['garden', 'tools'],
    negativeKeywords: ['job', 'second hand'],
    startsAt: '2026-01-01',
    endsAt: '2027-01-01T00:00Z',
    pricing: { model: 'cpm', micros: 2_000_000 },
    budgetMicros: 5_000_000,
    dailyBudgetMicros: 1_000_000,
    frequencyCap: { ads: 3, hours: 24 },
    countries: ['GB', 'ie'],
  });
  const good: Readonly<Record<string, string>> = {
    '.jsonl': [full, feedRow('b')].map((row) => JSON.stringify(row)).join('\n'),
    '.json': JSON.stringify([full, feedRow('b')], null, 2),
    '.csv':
      'id,name,text,landingUrl,pricing.model,pricing.micros,categories\na,"A, b","x\ny",https://a.example/,cpm,1000,x|y\n',
    '.txt': '[{"id":"a"}]',
  };

  for (const [extension, content] of Object.entries(good)) {
    it(`is read to its end, in a ${extension} file`, async () => {
      const any = fc.oneof(
        damaged(Buffer.from(content)),
        anyText,
        fc.array(anyText, { maxLength: 8 }).map((lines) => lines.join('\n')),
        fc.array(anyJson, { maxLength: 5 }).map((rows) => JSON.stringify(rows)),
      );
      await fc.assert(
        fc.asyncProperty(any, async (bytes) => void (await check(extension, bytes))),
        { numRuns: 400, examples: [[Buffer.from([0xfe, 0xff])]] },
      );
    });
  }

  it('gives rows that match the schema, whatever a field contains', async () => {
    await fc.assert(
      fc.asyncProperty(altered(full), async (row) => void (await check('.jsonl', JSON.stringify(row)))),
      { numRuns: 500 },
    );
  });

  it('loses no row because of the lines around it', async () => {
    const line = anyText.map((text) => text.replaceAll(/[\r\n]/g, ' ')).filter((text) => !text.includes('"id"'));
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(line), async (before, behind) => {
        const lines = [...before, JSON.stringify(feedRow('good')), ...behind];
        expect(await check('.jsonl', lines.join('\n'))).to.deep.equal(['good']);
      }),
    );
  });

  const rules = { timeZone: 'UTC', currency: 'USD', now: 0 };
  const checkRows = async (...rows: readonly object[]) => {
    const entries = rows.map((value, at) => ({ line: at + 1, lastLine: at + 1, value }));
    return checkFeed({ format: 'JSON Lines', digest: '', entries, fatal: [], unknown: new Map() }, 'a.jsonl', rules);
  };

  it('has one fault in a list of thousands of wrong values, and all in a short one', async () => {
    const [wrong, extra] = [
      Array.from({ length: 3000 }, () => 1),
      Array.from({ length: 3000 }, (_, at) => [`x${at}`, 1]),
    ];
    const { faults } = await checkRows(
      feedRow('a', { categories: wrong }),
      feedRow('b', { categories: wrong.slice(0, 40) }),
      feedRow('c', { frequencyCap: { ads: 1, hours: 1, ...(Object.fromEntries(extra) as object) } }),
      feedRow('d', { text: 'long '.repeat(400), categories: [1, 2] }),
    );
    expect([1, 2, 3, 4].map((line) => faults.filter(({ position }) => position?.line === line).length)).to.deep.equal([
      1, 40, 1, 2,
    ]);
  });

  it('names the first twenty of its unknown fields', async () => {
    const fields = Array.from({ length: 2000 }, (_, at) => [`field${at}`, 1]);
    const { rows, warnings } = await checkRows(
      feedRow('a', Object.fromEntries(fields) as Record<string, unknown>),
      feedRow('b', { more: 1 }),
    );
    expect(rows).to.have.length(2);
    expect(warnings.filter((warning) => warning.startsWith('unknown field “field'))).to.have.length(20);
    expect(warnings).to.include('1,981 more unknown fields are ignored');
  });

  it('is not checked any further behind a million faults', async () => {
    const fault = { line: 1, lastLine: 1, fault: { field: '', message: 'is not valid JSON' } };
    const good = { line: 2, lastLine: 2, value: feedRow('a') };
    const feed = { format: 'JSON Lines', digest: '', fatal: [], unknown: new Map() } as const;
    const entries = [...Array.from({ length: MAX_FAULTS }, () => fault), good];
    const { rows, faults, fatal } = await checkFeed({ ...feed, entries }, 'a.jsonl', rules);
    expect([rows.length, faults.length]).to.deep.equal([0, MAX_FAULTS]);
    expect(fatal.map(({ message }) => message)).to.deep.equal([
      'is the 1,000,000th fault, behind which nothing was checked',
    ]);
    const fewer = await checkFeed({ ...feed, entries: entries.slice(1) }, 'a.jsonl', rules);
    expect([fewer.rows.length, fewer.fatal]).to.deep.equal([1, []]);
  });

  it('is refused with more than three million rows', async () => {
    const most = 3_000_000;
    for (const { entries, fatal } of [
      await readJsonLines(Array.from({ length: most + 1 }, () => '{}')),
      await readJsonArray(`[${'{},'.repeat(most)}{},{}]`),
    ]) {
      expect(entries).to.deep.equal([]);
      expect(fatal.map(({ message }) => message).join()).to.match(/^has more than 3,000,000 rows/);
    }
  });
});

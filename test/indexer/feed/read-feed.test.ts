import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkFeed } from '../../../indexer/feed/check-feed.js';
import { describeFault } from '../../../indexer/feed/feed-entry.js';
import { feedLines } from '../../../indexer/feed/feed-text.js';
import { readFeed } from '../../../indexer/feed/read-feed.js';
import { feedRow } from '../../support/feed.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('reading a feed', () => {
  const folder = temporaryDirectory();
  after(() => rmSync(folder, { recursive: true }));

  const check = async (name: string, content: string | Buffer) => {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    const feed = await readFeed(file);
    const checked = await checkFeed(feed, file, { timeZone: 'UTC', currency: 'USD', now: Date.parse('2026-06-01') });
    return {
      format: feed.format,
      ids: checked.rows.map(({ creative }) => creative.id),
      rows: checked.rows.map(({ creative }) => creative),
      faults: [...checked.fatal, ...checked.faults].map((fault) => describeFault(name, fault)),
      warnings: checked.warnings,
    };
  };
  const json = (id: string): string => JSON.stringify(feedRow(id));

  it('accepts JSON Lines, with blank lines, CRLF and a byte order mark', async () => {
    const { format, ids, faults } = await check('a.jsonl', `\ufeff${json('a')}\r\n\r\n  \n${json('b')}`);
    expect({ format, ids, faults }).to.deep.equal({ format: 'JSON Lines', ids: ['a', 'b'], faults: [] });
  });

  it('gives the same lines for any size of decoded piece', async () => {
    const text = '\ufeffa\u00e9\r\n\n\u{1f600}b\r\ufeffc\nd';
    const lines = ['a\u00e9', '', '\u{1f600}b', '\ufeffc', 'd'];
    for (let piece = 1; piece < 30; piece++)
      expect(await feedLines(Buffer.from(text), piece), String(piece)).to.deep.equal(lines);
    expect(await feedLines(Buffer.from('a\n'))).to.deep.equal(['a']);
    expect(await feedLines(Buffer.alloc(0))).to.deep.equal([]);
  });

  it('accepts a JSON array, on one line or spread over many', async () => {
    const rows = [feedRow('a', { name: 'brackets ] } and "quotes" \\' }), feedRow('b')];
    for (const space of [0, 2]) {
      const { format, rows: read, faults } = await check('a.json', JSON.stringify(rows, null, space));
      expect(faults).to.deep.equal([]);
      expect(format).to.equal('JSON array');
      expect(read.map(({ name }) => name)).to.deep.equal(['brackets ] } and "quotes" \\', 'Shop b']);
    }
  });

  it('accepts CSV with a byte order mark, quoted cells, nested columns and joined categories', async () => {
    const header =
      'id,name,text,landingUrl,categories,negativeKeywords,pricing.model,pricing.micros,frequencyCap.ads,' +
      'frequencyCap.hours,advertiser';
    const row = 'a,"A, ""the"" shop","two\r\nlines",https://a.example/,Food | Drinks,free|second hand,cpm,2000,3,0.5,';
    const { format, rows, faults } = await check('a.csv', `\ufeff${header}\r\n${row}\r\n`);
    expect(faults).to.deep.equal([]);
    expect(format).to.equal('CSV');
    expect(rows[0]).to.include({ name: 'A, "the" shop', text: 'two\nlines', advertiser: null });
    expect(rows[0]).to.deep.include({
      categories: ['Food', 'Drinks'],
      negativeKeywords: ['free', 'second hand'],
      pricing: { model: 'cpm', micros: 2000 },
      frequencyCap: { ads: 3, hours: 0.5 },
    });
  });

  it('detects the format from the content if the file name does not show it', async () => {
    expect((await check('a.txt', `[${json('a')}]`)).format).to.equal('JSON array');
    expect((await check('b.txt', json('a'))).format).to.equal('JSON Lines');
    expect((await check('c.txt', 'id,name,text,landingUrl\n')).format).to.equal('CSV');
  });

  it('reports the line of a JSON Lines row that is cut short, and reads the others', async () => {
    const { ids, faults } = await check('a.jsonl', `${json('a')}\n{"id":"b","na\n${json('c')}\n{"id":"d"\n`);
    expect(ids).to.deep.equal(['a', 'c']);
    expect(faults).to.have.length(2);
    expect(faults[0]).to.match(/^a\.jsonl:2: is not valid JSON/);
    expect(faults[1]).to.match(/^a\.jsonl:4: is not valid JSON/);
  });

  it('reports the line within a JSON array, and reads the other rows', async () => {
    const { ids, faults } = await check('a.json', `[\n${json('a')},\n{"id": "b",\n"name": oops},\n${json('c')}\n]`);
    expect(ids).to.deep.equal(['a', 'c']);
    expect(faults).to.deep.equal(['a.json:3 (row 2): is not valid JSON']);
  });

  it('reports the end of a JSON array that is cut short', async () => {
    const { ids, faults } = await check('a.json', `[\n${json('a')},\n{"id": "b"`);
    expect(ids).to.deep.equal(['a']);
    expect(faults).to.deep.equal([
      'a.json:3: the array does not end; the file seems to be cut short',
      'a.json:3 (row 2): is not valid JSON',
    ]);
  });

  it('reports text after a JSON array, and a missing element in it', async () => {
    expect((await check('a.json', `[${json('a')}]\nmore`)).faults[0]).to.match(/^a\.json:2: follows the end/);
    expect((await check('b.json', `[${json('a')},\n]`)).faults).to.have.length(1);
  });

  it('reports a stray quote in CSV for its own line only', async () => {
    const lines = [
      'id,name,text,landingUrl',
      'a,5" pipe,x,https://a.example',
      'b,B,x,https://b.example',
      'c,"C,x,https://c.example',
    ];
    const { ids, faults } = await check('a.csv', `${lines.join('\n')}\n`);
    expect(ids).to.deep.equal(['b']);
    expect(faults.map((fault) => fault.slice(0, 28))).to.deep.equal(
      ['a.csv:2: is not valid CSV: a ', 'a.csv:4: is not valid CSV: a '].map((f) => f.slice(0, 28)),
    );
  });

  it('reports a CSV row with too few or too many cells', async () => {
    const { faults } = await check('a.csv', 'id,name,text,landingUrl\na,b\na,b,c,d,e\n');
    expect(faults).to.deep.equal([
      'a.csv:2: has 2 cells; expected 4, as in the header row',
      'a.csv:3: has 5 cells; expected 4, as in the header row',
    ]);
  });

  it('reports columns that are missing from the header row or occur twice', async () => {
    const { faults } = await check('a.csv', 'id,name,text,text\na,b,c,d\n');
    expect(faults).to.deep.equal([
      'a.csv:1: landingUrl: is missing in the header row',
      'a.csv:1: text: occurs more than once in the header row',
    ]);
    const { faults: unseparated } = await check('b.csv', 'id|name|text|landingUrl\n');
    expect(unseparated[0]).to.include('separated by commas, semicolons or tabs');
  });

  it('reports a CSV cell that is not a number, with the right line after a cell with line breaks', async () => {
    const header = 'id,name,text,landingUrl,budgetMicros';
    const { faults } = await check(
      'a.csv',
      `${header}\na,A,"x\ny",https://a.example,5\nb,B,x,https://b.example,5 USD\n`,
    );
    expect(faults).to.deep.equal([
      'a.csv:4: budgetMicros: must be a whole number (1 unit of the currency is 1,000,000 micros), not "5 USD"; budget takes units',
    ]);
  });

  it('warns once of each unknown field and column, with its count', async () => {
    const { ids, warnings } = await check(
      'a.jsonl',
      [feedRow('a', { group: 1 }), feedRow('b', { group: 2, brand: 'x' })].map((row) => JSON.stringify(row)).join('\n'),
    );
    expect(ids).to.deep.equal(['a', 'b']);
    expect(warnings).to.deep.equal([
      'unknown field “group” in 2 rows (first at line 1) is ignored',
      'unknown field “brand” in 1 row (first at line 2) is ignored',
    ]);
    const csv = await check(
      'a.csv',
      'id,name,text,landingUrl,group\na,A,x,https://a.example,\nb,B,x,https://b.example,7\n',
    );
    expect(csv.warnings).to.deep.equal(['unknown field “group” in 1 row (first at line 3) is ignored']);
  });

  it('reports the lines that are not UTF-8, in each format', async () => {
    const spoilt = (text: string): Buffer => Buffer.from(text, 'latin1');
    const row = json('b').replace('Shop', 'Caf\xe9');
    const lines = await check('a.jsonl', spoilt(`${json('a')}\n${row}\n${json('c')}`));
    expect(lines.ids).to.deep.equal(['a', 'c']);
    expect(lines.faults).to.deep.equal([
      'a.jsonl:2: is not valid UTF-8; save the feed as UTF-8 (in Excel: “CSV UTF-8”)',
    ]);
    const array = await check('a.json', spoilt(`[\n${json('a')},\n${row}]`));
    expect(array.faults).to.deep.equal([
      'a.json:3 (row 2): is not valid UTF-8; save the feed as UTF-8 (in Excel: “CSV UTF-8”)',
    ]);
    const csv = await check(
      'a.csv',
      spoilt('id,name,text,landingUrl\na,Caf\xe9,x,https://a.example\nb,B,x,https://b.example'),
    );
    expect(csv.ids).to.deep.equal(['b']);
    expect(csv.faults).to.deep.equal(['a.csv:2: is not valid UTF-8; save the feed as UTF-8 (in Excel: “CSV UTF-8”)']);
  });

  it('keeps text in any script, and emoji', async () => {
    const name = '日本語 العربية 🎉 👩‍👩‍👧‍👦';
    const { rows, faults } = await check(
      'a.jsonl',
      JSON.stringify(feedRow('ä-😀', { name, landingUrl: 'https://shop.example/' })),
    );
    expect(faults).to.deep.equal([]);
    expect(rows[0]).to.include({ id: 'ä-😀', name });
  });
});

import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkFeed } from '../../../indexer/feed/check-feed.js';
import { describeFault } from '../../../indexer/feed/feed-entry.js';
import { readFeed } from '../../../indexer/feed/read-feed.js';
import { feedRow } from '../../support/feed.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('a feed as other programs export it', () => {
  const folder = temporaryDirectory();
  after(() => rmSync(folder, { recursive: true }));

  const check = async (name: string, content: string | Buffer) => {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    const checked = await checkFeed(await readFeed(file), file, { timeZone: 'UTC', currency: 'EUR', now: 0 });
    return {
      rows: checked.rows.map(({ creative }) => creative),
      fatal: checked.fatal.map((fault) => describeFault(name, fault)),
      faults: checked.faults.map((fault) => describeFault(name, fault)),
      warnings: checked.warnings,
    };
  };
  const refusal = async (name: string, content: string | Buffer): Promise<string> => {
    const error = await check(name, content).catch((thrown: Error) => thrown);
    return error instanceof Error ? error.message : 'it was read';
  };

  it('may have semicolons or tabs between its cells, whose texts may contain the other delimiters', async () => {
    for (const [name, delimiter] of [
      ['german.csv', ';'],
      ['merchant.tsv', '\t'],
      ['plain.csv', ','],
    ] as const) {
      const cells = [
        ['id', 'name', 'text', 'landingUrl', 'price', 'pricing.model'],
        ['a', 'Tisch', '"groß, rund; neu"', 'https://a.example/', '0.35', 'cpc'],
        ['', '', '', '', '', ''],
        ['b', 'Stuhl', '"mit ""Lehne"",\r\nzwei Zeilen;"', 'https://b.example/', '', ''],
      ];
      const content = `\ufeff${cells.map((row) => row.join(delimiter)).join('\r\n')}\r\n`;
      const { rows, fatal, faults } = await check(name, content);
      expect([fatal, faults], name).to.deep.equal([[], []]);
      expect(rows.map(({ id, text }) => [id, text])).to.deep.equal([
        ['a', 'groß, rund; neu'],
        ['b', 'mit "Lehne",\nzwei Zeilen;'],
      ]);
      expect(rows[0]!.pricing).to.deep.equal({ model: 'cpc', micros: 350_000 });
    }
  });

  it('may have quotes within cells that are separated by tabs, such as inches', async () => {
    const { rows, faults } = await check(
      'inches.tsv',
      [
        'id\tname\ttext\tlandingUrl',
        'a\tA 27" wheel\tround\thttps://a.example/',
        'b\t"B\t12"""\t"two\nlines"\thttps://b.example/',
      ].join('\n'),
    );
    expect(faults).to.deep.equal([]);
    expect(rows.map(({ name, text }) => [name, text])).to.deep.equal([
      ['A 27" wheel', 'round'],
      ['B\t12"', 'two\nlines'],
    ]);
  });

  it('is CSV in a .tsv file, whatever its first character', async () => {
    const { rows } = await check('odd.tsv', '[note]\tid\tname\ttext\tlandingUrl\n\ta\tA\tx\thttps://a.example/\n');
    expect(rows.map(({ id }) => id)).to.deep.equal(['a']);
  });

  it('may begin with the line by which Excel is told the delimiter', async () => {
    const { rows, fatal, faults } = await check(
      'excel.csv',
      '\ufeffsep=;\r\nid;name;text;landingUrl\r\na;A;x;https://a.example/\r\nb;B\r\n',
    );
    expect(rows.map(({ id }) => id)).to.deep.equal(['a']);
    expect([fatal, faults]).to.deep.equal([[], ['excel.csv:4: has 2 cells; expected 4, as in the header row']]);
  });

  it('is refused with what to rename if its columns have the names of another format', async () => {
    const { fatal } = await check(
      'merchant.tsv',
      'id\ttitle\tdescription\tlink\tprice\n1\tA\tx\thttps://a.example\t9\n',
    );
    expect(fatal).to.deep.equal([
      'merchant.tsv:1: name: is missing in the header row; rename “title” if it is meant, or index with a --mapping',
      'merchant.tsv:1: text: is missing in the header row; rename “description” if it is meant, or index with a --mapping',
      'merchant.tsv:1: landingUrl: is missing in the header row; rename “link” if it is meant, or index with a --mapping',
    ]);
    const { faults } = await check('shop.jsonl', JSON.stringify({ ...feedRow('a'), name: undefined, headline: 'A' }));
    expect(faults).to.deep.equal([
      'shop.jsonl:1: name: is required; rename “headline” if it is meant, or index with a --mapping',
    ]);
  });

  it('is refused if a field is misspelled, since a budget that is ignored is no limit', async () => {
    const csv = await check(
      'a.csv',
      'id,name,text,landingUrl,Daily_Budget,Pricing Model\na,A,x,https://a.example/,5,cpc\n',
    );
    expect(csv.fatal).to.deep.equal([
      'a.csv:1: Daily_Budget: must be written “dailyBudget”, or it would be ignored',
      'a.csv:1: Pricing Model: must be written “pricing.model”, or it would be ignored',
    ]);
    const rows = [
      { ...feedRow('a'), Budget: '5' },
      { ...feedRow('b'), 'pricing.model': 'cpc' },
      { ...feedRow('c'), landingUrl: undefined, landing_url: 'https://c.example/' },
      { ...feedRow('d'), Budget: null, budget: '5', brand: 'D' },
    ];
    const json = await check('a.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'));
    expect(json.faults).to.deep.equal([
      'a.jsonl:1: Budget: must be written “budget”, or it would be ignored',
      'a.jsonl:2: pricing.model: must be nested: {"pricing":{"model":…}}',
      'a.jsonl:3: landing_url: must be written “landingUrl”, or it would be ignored',
    ]);
    expect(json.rows.map(({ id }) => id)).to.deep.equal(['d']);
  });

  it('may have null for what a row does not have, but not for what limits its cost', async () => {
    const nothing = { image: null, advertiser: null, campaign: null, categories: null, language: null, endsAt: null };
    const { rows, faults } = await check(
      'a.jsonl',
      [feedRow('a', nothing), feedRow('b', { budget: null }), feedRow('c', { pricing: null })]
        .map((row) => JSON.stringify(row))
        .join('\n'),
    );
    expect(rows.map(({ id }) => id)).to.deep.equal(['a']);
    expect(rows[0]).to.deep.include({ imageFile: null, advertiser: null, categories: [], endsAt: null });
    expect(faults.map((fault) => fault.slice(0, 20))).to.deep.equal(['a.jsonl:2: budget: m', 'a.jsonl:3: pricing: ']);
  });

  it('is refused as a whole if it is no feed, whatever its name', async () => {
    const files: readonly (readonly [Buffer | string, string])[] = [
      [Buffer.from('PK\x03\x04…', 'latin1'), 'it is an Excel workbook or a ZIP archive; '],
      [Buffer.from('\xd0\xcf\x11\xe0\xa1', 'latin1'), 'it is an Excel workbook; save it as CSV'],
      [Buffer.from('\x1f\x8b\b', 'latin1'), 'it is compressed; unpack it first'],
      [Buffer.from('\ufeffid;name', 'utf16le'), 'it is UTF-16; save it as UTF-8'],
      ['\ufeff<?xml version="1.0"?>\n<rss>', 'it is XML; export it as CSV or JSON Lines'],
      ['<!DOCTYPE rss>\n<rss>', 'it is XML; export it as CSV or JSON Lines'],
      ['<!-- of the shop -->\n<rss>', 'it is XML; export it as CSV or JSON Lines'],
      ['\n<!DOCTYPE html><html>', 'it is a web page: its download seems to have failed'],
    ];
    for (const [content, message] of files)
      for (const name of ['a.csv', 'a.jsonl', 'a.txt']) expect(await refusal(name, content)).to.include(message);
  });

  it('is refused with one fault if its objects are not one per line', async () => {
    const products = [feedRow('a'), feedRow('b')];
    const wrapped = await check('a.json', JSON.stringify({ products }));
    expect([wrapped.faults, wrapped.fatal]).to.deep.equal([
      [],
      ['a.json:1: has the rows in “products”; expected them as an array, [ … ], without an object around it'],
    ]);
    const spread = await check('b.json', JSON.stringify({ products }, null, 2));
    expect([spread.faults.length, spread.fatal.length]).to.deep.equal([0, 1]);
    expect(spread.fatal[0]).to.match(/^b\.json:1: begins an object that goes on in the next line; /);
  });

  it('is refused as a whole if it ends within a row, so that no half of it replaces the catalogue', async () => {
    const json = [feedRow('a'), feedRow('b')].map((row) => JSON.stringify(row)).join('\n');
    const csv = 'id,name,text,landingUrl\na,A,x,https://a.example/\nb,B,"two\nlines",https://b.example/';
    for (const [name, content] of [
      ['a.jsonl', json],
      ['a.csv', csv],
      ['b.csv', csv.replaceAll('\n', '\r')],
    ] as const) {
      expect((await check(name, content)).fatal, name).to.deep.equal([]);
      for (const cut of [5, 23, 32]) {
        const { fatal } = await check(name, content.slice(0, -cut));
        expect(fatal.join(), `${name} without ${cut}`).to.match(cut === 5 && name !== 'a.jsonl' ? /^$/ : /cut short/);
      }
      const { fatal, faults } = await check(name, `${content.slice(0, -23)}\n`);
      expect([fatal.length, faults.length > 0]).to.deep.equal([0, true]);
    }
    const { fatal } = await check('a.json', JSON.stringify([feedRow('a'), feedRow('b')]).slice(0, -1));
    expect(fatal).to.deep.equal(['a.json:1: the array does not end; the file seems to be cut short']);
  });

  it('is told the address to write for a landing page', async () => {
    const addresses = [
      ['https://möbel.example/stühle', 'https://xn--mbel-5qa.example/st%C3%BChle'],
      ['https://a.example/?a={x}|b', 'https://a.example/?a=%7Bx%7D%7Cb'],
      ['https://a.example/100% wool', 'https://a.example/100%25%20wool'],
    ] as const;
    for (const [landingUrl, encoded] of addresses) {
      const { faults } = await check('a.jsonl', JSON.stringify(feedRow('a', { landingUrl })));
      expect(faults).to.deep.equal([
        `a.jsonl:1: landingUrl: must be an http or https address, percent-encoded: ${encoded}`,
      ]);
      expect((await check('a.jsonl', JSON.stringify(feedRow('a', { landingUrl: encoded })))).faults).to.deep.equal([]);
    }
    const { faults } = await check('a.jsonl', JSON.stringify(feedRow('a', { landingUrl: 'shop.example/a' })));
    expect(faults[0]).to.match(/ percent-encoded; it must begin with https:\/\/ or http:\/\/$/);
  });
});

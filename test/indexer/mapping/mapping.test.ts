import { expect } from 'chai';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describeMapped } from '../../../indexer/mapping/describe-mapped.js';
import { feedRow } from '../../support/feed.js';
import { checkMapped } from '../../support/mapped-feed.js';
import { PNG } from '../../support/png.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('a mapping', () => {
  const folder = temporaryDirectory();
  after(() => rmSync(folder, { recursive: true }));

  const German = {
    fields: {
      id: '{Artikelnummer}',
      name: '{Bezeichnung}',
      text: '{Kurztext|Beschreibung}',
      landingUrl: '{Produkt-Link}',
      categories: '{Warengruppe}',
      advertiser: 'Hill & Dale',
      campaign: 'Katalog',
      'pricing.model': 'cpc',
      price: 0.35,
      dailyBudget: '25 EUR',
      'frequencyCap.ads': 3,
      'frequencyCap.hours': '24',
    },
    leaveOut: { Lagerstatus: ['ausverkauft', ''] },
    onePer: 'Artikelnummer',
    categorySeparator: '>,',
  };
  const header = 'Artikelnummer;Bezeichnung;Kurztext;Beschreibung;Produkt-Link;Warengruppe;Lagerstatus;price';
  const boots =
    'A1;Stiefel „Grün“;;"Wasserdicht &amp; <b>leicht</b>";"https://möbel.example/grün?a=1&amp;b=2";Schuhe > Berge, Neu;auf Lager;89,90';
  const table = (...rows: readonly string[]): string => `\ufeff${[header, ...rows].join('\r\n')}\r\n`;

  it('makes a creative of columns with other names, other text and fixed values', async () => {
    const { rows, faults, warnings } = await checkMapped(folder, 'a.csv', table(boots), { mapping: German });
    expect([faults, warnings]).to.deep.equal([[], []]);
    expect(rows[0]).to.deep.include({
      id: 'A1',
      name: 'Stiefel „Grün“',
      text: 'Wasserdicht & leicht',
      landingUrl: 'https://xn--mbel-5qa.example/gr%C3%BCn?a=1&b=2',
      categories: ['Schuhe', 'Berge', 'Neu'],
      advertiser: 'Hill & Dale',
      campaign: 'Katalog',
      pricing: { model: 'cpc', micros: 350_000 },
      dailyBudgetMicros: 25_000_000,
      frequencyCap: { ads: 3, hours: 24 },
    });
  });

  it('leaves out rows by the value of a column, and all but one of the rows that share one', async () => {
    const sold = boots.replace('auf Lager', 'Ausverkauft');
    const feed = table(sold, boots, boots.replace('Stiefel', 'Größe 43'), boots.replace('auf Lager', ''), `B${boots}`);
    const { rows, faults, mapped, mapping } = await checkMapped(folder, 'a.csv', feed, { mapping: German });
    expect([faults, rows.map(({ id, name }) => [id, name])]).to.deep.equal([
      [],
      [
        ['A1', 'Stiefel „Grün“'],
        ['BA1', 'Stiefel „Grün“'],
      ],
    ]);
    expect(describeMapped(mapped!, mapping!, rows, false)).to.deep.equal([
      '  left out: 1 with Lagerstatus “ausverkauft”, 1 more of an Artikelnummer, 1 with Lagerstatus “”',
      '  columns not read: price',
    ]);
  });

  it('does not take a column without a name for one that the feed may lack', async () => {
    const feed =
      'id,title,description,link,\n1,A,a,https://a.example,yes\n2,B,b,https://b.example,x\n3,C,c,https://c.example,x\n';
    const { rows, mapped } = await checkMapped(folder, 'a.csv', feed, { mapping: 'google' });
    expect(rows.map(({ id, categories }) => [id, categories])).to.deep.equal([
      ['1', []],
      ['2', []],
      ['3', []],
    ]);
    expect(mapped!.leftOut.size).to.equal(0);
  });

  it('names the column and the field in a fault', async () => {
    const mapping = { ...German, fields: { ...German.fields, price: '0,35' } };
    const feed = table(boots.replace('https://', ''), 'C1;"zwei');
    const { faults } = await checkMapped(folder, 'a.csv', feed, { mapping });
    expect(faults.map((fault) => fault.split(':').slice(0, 3).join(':'))).to.deep.equal([
      'a.csv:2: price (--set or mapping)',
      'a.csv:2: landingUrl (Produkt-Link)',
      'a.csv:3: is not valid CSV',
    ]);
  });

  it('refuses a feed that lacks a column, since its budget would be no limit, unless that is allowed', async () => {
    const mapping = { ...German, fields: { ...German.fields, dailyBudget: '{Tagesbudget}' }, onePer: 'Modell' };
    const { faults } = await checkMapped(folder, 'a.csv', table(boots), { mapping });
    expect(faults).to.deep.equal([
      'a.csv: dailyBudget (Tagesbudget): the mapping reads the column “Tagesbudget”, which the feed does not have; it has ' +
        'Artikelnummer, Bezeichnung, Kurztext, Beschreibung, Produkt-Link, Warengruppe, Lagerstatus, price',
      'a.csv: onePer: the mapping reads the column “Modell”, which the feed does not have',
    ]);
    const optional = { ...German, fields: { ...German.fields, dailyBudget: '{Tagesbudget|}' }, onePer: 'Modell|' };
    const { rows } = await checkMapped(folder, 'a.csv', table(boots), { mapping: optional });
    expect(rows[0]!.dailyBudgetMicros).to.equal(null);
  });

  it('reads only what it names: a column price may be what the product costs', async () => {
    const { rows } = await checkMapped(folder, 'a.csv', table(boots), {
      mapping: { ...German, fields: { id: '{Artikelnummer}', name: 'x', text: 'y', landingUrl: '{Produkt-Link}' } },
    });
    expect(rows[0]).to.deep.include({ pricing: null, advertiser: null, categories: [] });
  });

  it('puts columns into addresses and paths, and leaves a field out if none of its columns has a value', async () => {
    mkdirSync(path.join(folder, 'images'));
    writeFileSync(path.join(folder, 'images/boots.png'), PNG);
    const mapping = {
      fields: {
        id: 'shop-{Handle}',
        name: '{Title}',
        text: '{Body (HTML)}',
        landingUrl: 'https://shop.example/products/{Handle}',
        image: 'images/{Picture}.png',
        categories: '{Tags}',
      },
    };
    const feed = [
      { Handle: 'grüne-boots', Title: 'Boots', 'Body (HTML)': '<p>Dry.</p>', Picture: 'boots', Tags: ['New', 'Wet'] },
      { Handle: 7, Title: 'Tent', 'Body (HTML)': 'Light.', Picture: null, Tags: [] },
    ];
    const { rows, faults } = await checkMapped(folder, 'a.json', JSON.stringify(feed), { mapping });
    expect(faults).to.deep.equal([]);
    expect(rows.map(({ id, landingUrl, categories }) => [id, landingUrl, categories])).to.deep.equal([
      ['shop-grüne-boots', 'https://shop.example/products/gr%C3%BCne-boots', ['New', 'Wet']],
      ['shop-7', 'https://shop.example/products/7', []],
    ]);
    expect(rows.map(({ imageFile }) => imageFile === null)).to.deep.equal([false, true]);
  });

  it('finds columns whatever their case, blanks and dashes, and of several the first that has a value', async () => {
    const feed =
      'ID,Title,title,Description,Description,LINK\n1,,A,x,y,https://a.example/\n2,B,C,,z,https://b.example/\n';
    const { rows } = await checkMapped(folder, 'a.csv', feed, { mapping: 'google', set: ['text={des-cription} '] });
    expect(rows.map(({ id, name, text }) => [id, name, text])).to.deep.equal([
      ['1', 'A', 'x'],
      ['2', 'B', 'z'],
    ]);
  });

  it('leaves a fault that a row has without it', async () => {
    const { faults } = await checkMapped(folder, 'a.jsonl', '[1]\nnull\n{"a"', { mapping: German });
    expect(faults.map((fault) => fault.slice(0, 22))).to.deep.equal([
      'a.jsonl:3: the file en',
      'a.jsonl:1: must be obj',
      'a.jsonl:2: must be obj',
      'a.jsonl:3: is not vali',
    ]);
  });

  it('reads any JSON, even nested thousands of times and with texts of megabytes', async () => {
    const nested = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const blanks = ' '.repeat(20_000_000);
    const row = (id: string, text: string): string =>
      `{"id":"${id}","title":"Boots","description":"${text}","product_type":${nested},"link":"https://a.example/"}`;
    const feed = [row('a', blanks), row('b', `Dry.${blanks}.`)].join('\n');
    const { rows, faults } = await checkMapped(folder, 'a.jsonl', feed, { mapping: 'google' });
    expect(faults).to.deep.equal([
      'a.jsonl:1: text (description, summary, content): must not be empty without an image',
    ]);
    expect(rows.map(({ id, text, categories }) => [id, text, categories])).to.deep.equal([['b', 'Dry.', []]]);
  });

  it('cannot be used if it names no field, lacks a required one, or takes what a product costs for a price', async () => {
    const messageOf = async (mapping: string | object, set: readonly string[] = []): Promise<string> => {
      const error = await checkMapped(folder, 'a.csv', table(boots), { mapping, set }).catch((thrown: Error) => thrown);
      return error instanceof Error ? error.message.replaceAll(folder, '') : 'it was read';
    };
    expect(await messageOf({ fields: { id: '{A}', nmae: 'x', Budget: '5' } })).to.equal(
      [
        'the settings cannot be used:',
        'fields: nmae is not a field of a feed (FEED.md lists them)',
        'fields: Budget is not a field of a feed; budget is',
        'fields: needs name',
        'fields: needs text',
        'fields: needs landingUrl',
      ].join('\n  --mapping /mapping.json: '),
    );
    expect(await messageOf({ ...German, leaveout: {} })).to.include('leaveout is not a known field');
    expect(await messageOf('facebook')).to.include('expected a mapping file, or google');
    for (const mapping of ['google', { extends: 'google', fields: { campaign: 'Spring' } }]) {
      expect(await messageOf(mapping, ['price={sale_price}'])).to.include('price would be what the product costs');
    }
    expect(await messageOf(German, ['advertisr=x'])).to.equal(
      '--set advertisr is not a field of a feed (FEED.md lists them)',
    );
    expect(await messageOf(German, ['advertiser='])).to.include('--set must be FIELD=VALUE');
  });
});

describe('--set', () => {
  const folder = temporaryDirectory();
  after(() => rmSync(folder, { recursive: true }));
  const set = ['advertiser=Hill & Dale', 'pricing.model=cpc', 'price=0.35', 'categories=Outdoor|Shoes'];

  it('sets fields of all rows of any feed, whatever the feed has', async () => {
    const rows = [feedRow('a', { advertiser: 'Other', pricing: { model: 'cpm' }, price: 9 }), feedRow('b')];
    const json = await checkMapped(folder, 'a.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'), { set });
    const csv = await checkMapped(folder, 'a.csv', 'id,name,text,landingUrl\na,A,x,https://a.example/\n', { set });
    for (const { rows: found, faults } of [json, csv]) {
      expect(faults).to.deep.equal([]);
      for (const creative of found) {
        expect(creative).to.deep.include({
          advertiser: 'Hill & Dale',
          pricing: { model: 'cpc', micros: 350_000 },
          categories: ['Outdoor', 'Shoes'],
        });
      }
    }
  });

  it('sets a required field that no row of a table has', async () => {
    const table = 'id,name,landingUrl\na,A,https://a.example/\n';
    const { rows, faults } = await checkMapped(folder, 'a.csv', table, { set: ['text=Free delivery'] });
    expect([faults, rows.map(({ text }) => text)]).to.deep.equal([[], ['Free delivery']]);
    const { faults: missing } = await checkMapped(folder, 'a.csv', table, { set: ['advertiser=A'] });
    expect(missing).to.deep.equal(['a.csv:1: text: is missing in the header row']);
  });

  it('is named in the fault of a value, and takes precedence over a mapping', async () => {
    const feed = JSON.stringify(feedRow('a'));
    const { faults } = await checkMapped(folder, 'a.jsonl', feed, { set: ['price=0,35', 'pricing.model=cpc'] });
    expect(faults).to.have.length(1);
    expect(faults[0]).to.match(/^a\.jsonl:1: price \(--set\): must be an amount/);
    const { rows } = await checkMapped(folder, 'g.csv', 'id,title,description,link\na,A,x,https://a.example/\n', {
      mapping: 'google',
      set: ['name={title} by {id}'],
    });
    expect(rows[0]!.name).to.equal('A by a');
    const error = await checkMapped(folder, 'a.jsonl', feed, { set: ['name={title}'] }).catch(
      (thrown: Error) => thrown,
    );
    expect(error).to.be.instanceOf(Error).with.property('message').that.includes('need a --mapping');
  });
});

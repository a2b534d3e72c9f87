import { expect } from 'chai';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readLiveCatalogue } from '../../indexer/live-catalogue.js';
import type { Creative } from '../../models/schema/creative.js';
import { listSnapshots } from '../../models/snapshot/kept-snapshots.js';
import type { Manifest } from '../../models/snapshot/manifest.js';
import { readPointer } from '../../models/snapshot/pointer.js';
import { DETECTION_VERSION } from '../../models/text/language.js';
import { feedRow, feedRows, writeFeed } from '../support/feed.js';
import { runCommand } from '../support/indexer-command.js';
import { testCreative, publishTestSnapshot } from '../support/test-snapshot.js';
import { picture } from '../support/pictures.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('sources of a catalogue', () => {
  let folder: string;
  let dataDir: string;
  beforeEach(() => {
    folder = temporaryDirectory();
    dataDir = path.join(folder, 'data');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const index = (rows: readonly unknown[], ...flags: string[]) =>
    runCommand('main', dataDir, writeFeed(folder, rows), ...flags);
  const published = async (rows: readonly unknown[], ...flags: string[]) => {
    const { code, stdout, stderr } = await index(rows, ...flags);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    return stdout;
  };
  const live = async (): Promise<Creative[]> => {
    const [id] = await readPointer(dataDir);
    const lines = readFileSync(path.join(dataDir, 'snapshots', id!, 'creatives.jsonl'), 'utf8').split('\n');
    return lines.filter(Boolean).map((line) => JSON.parse(line) as Creative);
  };
  const ids = async () => (await live()).map(({ id, source }) => (source === undefined ? id : `${source}/${id}`));

  const BOOTS = feedRow('boots', { advertiser: 'Fellwalk', campaign: 'Autumn' });
  const TEA = feedRow('tea', { advertiser: 'Leaf', campaign: 'Monthly', pricing: { model: 'cpc' }, price: '0.35' });

  it('own their rows: a run replaces only those of its own source', async () => {
    writeFileSync(path.join(folder, 'a.png'), await picture('png'));
    await published([BOOTS]);
    await published([{ ...TEA, image: 'a.png' }], '--source', 'leaf');
    await published([feedRow('spade')], '--source', 'garden.shop-2');
    expect(await ids()).to.deep.equal(['boots', 'garden.shop-2/spade', 'leaf/tea']);
    const tea = (await live()).at(-1)!;

    const out = await published([feedRow('hoe'), feedRow('rake')], '--source', 'garden.shop-2');
    expect(await ids()).to.deep.equal(['boots', 'garden.shop-2/hoe', 'garden.shop-2/rake', 'leaf/tea']);
    expect((await live()).at(-1)).to.deep.equal(tea);
    expect(out).to.match(/^Published \w{16}, source garden\.shop-2$/m);
    expect(out).to.match(/^ {2}removed +1 {2}spade$/m);
    expect(out).to.match(/^ {2}of other sources: default 1, leaf 1$/m);
    expect(out).to.match(/^Embedding: 2 embedded, 2 reused/m);

    await published([BOOTS]);
    expect(await ids()).to.have.length(4);
    const { stdout } = await runCommand('snapshots', dataDir);
    expect(stdout).to.include('default 1, garden.shop-2 2, leaf 1');
  });

  it('have their images decoded once, and again if a release with other rules checked them', async () => {
    const manifest = async () => path.join(dataDir, 'snapshots', (await readPointer(dataDir))[0]!, 'manifest.json');
    const pictures = async () => (JSON.parse(readFileSync(await manifest(), 'utf8')) as Manifest).pictures;
    const checked = async () =>
      (await readLiveCatalogue(dataDir, { source: 'default', allowShrink: false, onFault: () => {} })).checkedImages;
    writeFileSync(path.join(folder, 'a.png'), await picture('png'));
    await published([{ ...TEA, image: 'a.png' }], '--source', 'leaf');
    const [{ imageFile }] = (await live()) as [Creative];
    expect(await pictures()).to.equal(1);
    expect([...(await checked())]).to.deep.equal([imageFile]);

    // As an earlier release wrote it: a run of another source does not vouch for this source's image.
    const { pictures: _, ...earlier } = JSON.parse(readFileSync(await manifest(), 'utf8')) as Manifest;
    writeFileSync(await manifest(), JSON.stringify(earlier));
    await published([BOOTS]);
    expect(await pictures()).to.equal(undefined);
    expect((await checked()).size).to.equal(0);

    await published([{ ...TEA, image: 'a.png' }], '--source', 'leaf');
    expect(await pictures()).to.equal(1);
  });

  it('have their languages detected once, and again if another release detected them', async () => {
    const manifest = async () => path.join(dataDir, 'snapshots', (await readPointer(dataDir))[0]!, 'manifest.json');
    const telling = async () => (JSON.parse(readFileSync(await manifest(), 'utf8')) as Manifest).telling;
    const languages = async () => Object.fromEntries((await live()).map(({ id, writtenIn }) => [id, writtenIn]));
    const German = { name: 'Schuhe für die Berge', text: 'Leicht, wasserdicht und neu besohlt.' };
    await publishTestSnapshot(dataDir, [
      testCreative('schuh', { ...German, writtenIn: 'fr' }),
      testCreative('stiefel', { ...German, writtenIn: 'fr', source: 'berg' }),
      testCreative('zelt', { ...German, language: 'de-AT', source: 'berg' }),
    ]);
    expect(await telling()).to.equal(DETECTION_VERSION);
    const berg = [feedRow('stiefel', German), feedRow('zelt', { ...German, language: 'de-AT' })];
    await published([feedRow('schuh', German)]);
    await published(berg, '--source', 'berg');
    expect(await languages()).to.deep.equal({ schuh: 'fr', stiefel: 'fr', zelt: undefined });

    for (const other of [undefined, DETECTION_VERSION + 1]) {
      const stored = JSON.parse(readFileSync(await manifest(), 'utf8')) as Manifest;
      writeFileSync(await manifest(), JSON.stringify({ ...stored, telling: other }));
      await published([feedRow('schuh', { ...German, landingUrl: `https://schuh.example/${other}` })]);
      expect(await languages()).to.deep.equal({ schuh: 'de', stiefel: 'de', zelt: undefined });
      expect(await telling()).to.equal(DETECTION_VERSION);
    }
    expect(await published(berg, '--source', 'berg')).to.match(/^ {2}unchanged +2$/m);
  });

  it('keep the live snapshot if nothing has changed, so that earlier ones stay to roll back to', async () => {
    await published([BOOTS]);
    await published([TEA], '--source', 'leaf');
    const before = await readPointer(dataDir);
    for (let night = 0; night < 2; night++) {
      await published([BOOTS]);
      expect(await published([TEA], '--source', 'leaf')).to.include('unchanged');
    }
    expect(await readPointer(dataDir)).to.deep.equal(before);
    await published([{ ...TEA, price: '0.36' }], '--source', 'leaf');
    expect(await readPointer(dataDir)).to.have.length(before.length + 1);
  });

  it('are removed by name, and advertisers and campaigns that leave are named', async () => {
    await published([BOOTS]);
    await published([TEA, feedRow('coffee', { advertiser: 'Leaf', campaign: 'Roasts' })], '--source', 'leaf');
    const { code, stdout } = await runCommand('main', dataDir, '--source', 'leaf', '--remove');
    expect(code).to.equal(0);
    expect(stdout).to.match(/^ {2}advertisers removed: “Leaf”$/m);
    expect(stdout).to.match(/^ {2}campaigns removed: “Monthly” of “Leaf”, “Roasts” of “Leaf”$/m);
    expect(await ids()).to.deep.equal(['boots']);
    const again = await runCommand('main', dataDir, '--source', 'leaf', '--remove');
    expect(again.code).to.equal(1);
    expect(again.stderr).to.include('There is no source leaf; live are default.');
    expect((await runCommand('rollback', dataDir)).code).to.equal(0);
    expect(await ids()).to.deep.equal(['boots', 'leaf/tea', 'leaf/coffee']);
  });

  it('share no id: a clash names both creatives, and nothing is published', async () => {
    await published([BOOTS]);
    await published([TEA], '--source', 'leaf');
    const before = await readPointer(dataDir);
    const clash = await index([feedRow('tea'), feedRow('hoe')], '--source', 'garden');
    expect(clash.code).to.equal(1);
    expect(clash.stderr).to.include(
      'feed.jsonl:1: id: belongs to “Shop tea” of source leaf, and cannot be in source garden too; ids are unique over all sources',
    );
    expect(await readPointer(dataDir)).to.deep.equal(before);
    expect((await index([feedRow('tea'), feedRow('hoe')], '--source', 'garden', '--skip-invalid')).code).to.equal(0);
    expect(await ids()).to.deep.equal(['boots', 'garden/hoe', 'leaf/tea']);
  });

  it('take no id that another source had lately, since its links still work', async () => {
    await published([BOOTS], '--source', 'fellwalk');
    await published([TEA], '--source', 'leaf');
    await published([feedRow('socks', { advertiser: 'Fellwalk' })], '--source', 'fellwalk', '--allow-shrink');
    const taken = feedRow('boots', { advertiser: 'Leaf', landingUrl: 'https://leaf.example/' });
    const { code, stderr } = await index([taken, TEA], '--source', 'leaf');
    expect(code).to.equal(1);
    expect(stderr).to.include('id: belonged to a creative of source fellwalk until recently');
    expect(await ids()).to.deep.equal(['fellwalk/socks', 'leaf/tea']);
    await published([BOOTS], '--source', 'fellwalk');
    await published([feedRow('socks', { advertiser: 'Leaf' }), TEA], '--source', 'leaf', '--reuse-ids');
    expect(await ids()).to.deep.equal(['fellwalk/boots', 'leaf/socks', 'leaf/tea']);
  });

  it('agree on the terms of a campaign that two of them name', async () => {
    await published([TEA], '--source', 'leaf');
    const second = ['--source', 'second', '--share-advertiser', 'Leaf'];
    const { code, stderr } = await index([{ ...TEA, id: 'other', price: '0.36' }], ...second);
    expect(code).to.equal(1);
    expect(stderr).to.include(
      'pricing: is cpc 0.36, but cpc 0.35 in source leaf; all rows of campaign “Monthly” must agree; to change it for all, ' +
        'set it by npm run campaigns, or take the other source out (--source leaf --remove)',
    );
    // Follows the advice.
    await published([BOOTS, { ...TEA, id: 'other' }], ...second);
    expect((await runCommand('main', dataDir, '--source', 'leaf', '--remove')).code).to.equal(0);
    await published([BOOTS, { ...TEA, id: 'other', price: '0.36' }], ...second);
    await published([{ ...TEA, price: '0.36' }], '--source', 'leaf', '--share-advertiser', 'Leaf');
    expect(await ids()).to.deep.equal(['leaf/tea', 'second/boots', 'second/other']);
  });

  it('have their own advertisers: another source’s is refused unless shared, and new ones are named', async () => {
    expect(await published([TEA], '--source', 'leaf')).to.match(/^ {2}advertisers new to source leaf: “Leaf”$/m);
    const taking = { ...TEA, id: 'rival', landingUrl: 'https://rival.example/', price: '0.36' };
    const { code, stderr } = await index([taking, feedRow('spade')], '--source', 'rival');
    expect(code).to.equal(1);
    expect(stderr)
      .to.include('feed.jsonl:1: advertiser: “Leaf” is live in source leaf, and its account would pay')
      .and.include('--share-advertiser "Leaf"')
      // Terms are not even compared.
      .and.not.include('must agree');
    expect((await index([taking, feedRow('spade')], '--source', 'rival', '--skip-invalid')).code).to.equal(0);
    expect(await ids()).to.deep.equal(['leaf/tea', 'rival/spade']);

    expect(await published([{ ...TEA, price: '0.36' }], '--source', 'leaf')).to.not.include('advertisers new');
    const shared = await published([taking], '--source', 'rival', '--share-advertiser', ' Leaf ');
    expect(shared).to.match(/^ {2}advertisers new to source rival: “Leaf”$/m);
    // An installation that has shared an advertiser from before continues to work.
    const warned = await index([taking], '--source', 'rival');
    expect(warned.code).to.equal(0);
    expect(warned.stderr).to.include('feed.jsonl: warning: “Leaf” is live in source leaf too');
    expect(await ids()).to.deep.equal(['leaf/tea', 'rival/rival']);
  });

  it('keep their advertisers: a run without a source is refused if some would be removed, unless allowed', async () => {
    await published([BOOTS, TEA]);
    const { code, stderr } = await index([BOOTS, feedRow('spade', { advertiser: 'Greenhough' })]);
    expect(code).to.equal(1);
    expect(stderr)
      .to.include('1 advertiser would be removed: “Leaf”; nothing was published')
      .and.include('--source NAME');
    expect(await ids()).to.deep.equal(['boots', 'tea']);
    expect(await published([BOOTS], '--allow-shrink')).to.match(/^ {2}advertisers removed: “Leaf”$/m);
    // An advertiser that another source still has does not vanish, and a named feed may drop advertisers.
    await published([{ ...TEA, campaign: 'Weekly' }], '--source', 'leaf', '--reuse-ids');
    await published([feedRow('spade', { advertiser: 'Greenhough' })], '--source', 'leaf');
    expect(await ids()).to.deep.equal(['boots', 'leaf/spade']);
  });

  it('may each shrink to half of their own rows without --allow-shrink', async () => {
    await published(feedRows(4));
    await published(feedRows(4, 'leaf'), '--source', 'leaf');
    const { code, stderr } = await index([feedRow('leaf-0')], '--source', 'leaf');
    expect(code).to.equal(1);
    expect(stderr).to.include('less than half of the 4 creatives that are live of source leaf');
  });

  it('are not lost if the live snapshot cannot be read', async () => {
    await published([BOOTS]);
    await published([TEA], '--source', 'leaf');
    const [id] = await readPointer(dataDir);
    writeFileSync(path.join(dataDir, 'snapshots', id!, 'creatives.jsonl'), 'x');
    const { code, stderr } = await index([TEA], '--source', 'leaf');
    expect(code).to.equal(1);
    expect(stderr).to.include('rows of other sources (default) would be lost');
    expect((await index([TEA], '--source', 'leaf', '--allow-shrink')).code).to.equal(0);
    expect(await ids()).to.deep.equal(['leaf/tea']);
  });

  it('are not lost if the live snapshot’s directory is missing', async () => {
    await published([BOOTS]);
    await published([TEA], '--source', 'leaf');
    const [id] = await readPointer(dataDir);
    rmSync(path.join(dataDir, 'snapshots', id!), { recursive: true });
    const { code, stderr } = await index([TEA], '--source', 'leaf');
    expect(code).to.equal(1);
    expect(stderr).to.include('rows of other sources (default) may be lost');
  });

  it('are not lost if the live snapshot’s manifest cannot be read', async () => {
    await published([BOOTS]);
    await published([TEA], '--source', 'leaf');
    const [id, earlier] = await readPointer(dataDir);
    rmSync(path.join(dataDir, 'snapshots', earlier!), { recursive: true });
    writeFileSync(path.join(dataDir, 'snapshots', id!, 'manifest.json'), '{');
    const { code, stderr } = await index([TEA], '--source', 'leaf');
    expect(code).to.equal(1);
    expect(stderr)
      .to.include('nothing says which sources it has: rows of other sources may be lost')
      .and.include('--allow-shrink');
    expect(await readPointer(dataDir)).to.deep.equal([id, earlier]);
    expect((await index([TEA], '--source', 'leaf', '--allow-shrink')).code).to.equal(0);
    expect(await ids()).to.deep.equal(['leaf/tea']);
  });

  it('make no difference to a catalogue without source names, whose snapshots stay the same', async () => {
    await published([BOOTS]);
    expect((await listSnapshots(dataDir))[0]?.manifest).to.not.have.property('sources');
    expect((await live())[0]).to.not.have.property('source');
    await published([BOOTS], '--source', 'default');
    expect(await readPointer(dataDir)).to.have.length(1);
  });

  it('are refused with an invalid name, or with contradictory arguments', async () => {
    for (const wrong of [
      ['feed.jsonl', '--source', 'Garden Shop'],
      ['feed.jsonl', '--source', '../x'],
      ['feed.jsonl', '--source', ''],
      ['feed.jsonl', '--source', 'leaf', '--remove'],
      ['--remove'],
      ['--source', 'leaf'],
      ['feed.jsonl', '--share-advertiser', ' '],
    ]) {
      const { code, stderr } = await runCommand('main', dataDir, ...wrong);
      expect(code, wrong.join(' ')).to.equal(2);
      expect(stderr).to.include('See npm run index -- --help');
    }
  });

  it('have their campaigns’ terms printed as they were read, new ones first', async () => {
    const row = (id: string, fields: object) => feedRow(id, { advertiser: 'Leaf', ...fields });
    const first = await published([
      row('a', { campaign: 'Monthly', pricing: { model: 'cpc' }, price: '0.35', budget: '500', dailyBudget: '25.5' }),
      row('b', { campaign: 'Monthly', pricing: { model: 'cpc' }, price: '0.35', budget: '500', dailyBudget: '25.5' }),
      row('c', { pricing: { model: 'cpm', micros: 2000 }, budgetMicros: 2 }),
    ]);
    expect(first).to.include('What campaigns pay by this feed, in USD (');
    const lines = (out: string) =>
      out.split('\n').flatMap((line) =>
        line.startsWith('│')
          ? [
              line
                .split('│')
                .slice(1, -1)
                .map((cell) => cell.trim()),
            ]
          : [],
      );
    expect(lines(first)).to.deep.equal([
      ['advertiser', 'campaign', 'ads', 'price', 'budget', 'a day'],
      ['Leaf', 'Monthly', '2', '0.35 per click', '500.00', '25.50'],
      ['Leaf', '– (each by itself)', '1', '0.002 per 1,000 impressions', '0.000002', 'no limit'],
    ]);
    const many = Array.from({ length: 60 }, (_, at) => row(`m${at}`, { campaign: `C${at}` }));
    const next = await published([...many, row('c', {})]);
    expect(lines(next)).to.have.length(51);
    expect(next).to.include('… and 10 more (all with --verbose)\nCreatives without a campaign, price or budget: 1');
    expect(lines(await published([...many, row('c', { campaign: 'New' })], '--verbose'))[1]).to.include('New');
    expect(lines(await published(many, '--brief'))).to.deep.equal([]);
  });
}).timeout(120_000);

import { expect } from 'chai';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Creative } from '../../../models/schema/creative.js';
import { readPointer } from '../../../models/snapshot/pointer.js';
import { feedRow, writeFeed } from '../../support/feed.js';
import { runCommand } from '../../support/indexer-command.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('npm run index with a feed from a shop', () => {
  const folder = temporaryDirectory();
  const dataDir = path.join(folder, 'data');
  const products = path.join(folder, 'products.xml');
  after(() => rmSync(folder, { recursive: true }));

  const published = async (): Promise<Creative> => {
    const [id] = await readPointer(dataDir);
    const [first] = readFileSync(path.join(dataDir, 'snapshots', id!, 'creatives.jsonl'), 'utf8').split('\n');
    return JSON.parse(first!) as Creative;
  };
  const item = (id: string, more = ''): string =>
    `<item><g:id>${id}</g:id><title>Boots ${id}</title><link>https://shop.example/${id}</link>
    <description>&lt;p&gt;Light boots.&lt;/p&gt;</description><g:price>89.00 EUR</g:price>${more}</item>`;
  const soldOut = '<g:availability>out_of_stock</g:availability>';

  it('publishes its products, and prints what was left out and that nobody pays for them', async () => {
    writeFileSync(products, `<rss><channel>${item('a')}${item('b', soldOut)}</channel></rss>`);
    const { code, stdout, stderr } = await runCommand('main', dataDir, products, '--mapping', 'google');
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout)
      .to.match(/^Checking: 2 rows of XML, 1 left out, 1 valid row \(/m)
      .and.match(/^ {2}left out: 1 with availability “out of stock”$/m)
      .and.match(/^ {2}columns not read: price$/m)
      .and.match(/^ {2}without an advertiser: 1; publishers cannot block them by name, .* --set advertiser="NAME"$/m);
    expect(await published()).to.deep.include({ id: 'a', text: 'Light boots.', advertiser: null, pricing: null });
  });

  it('sets the advertiser and what it pays, by options or a mapping file', async () => {
    const set = ['--set', 'advertiser=Hill & Dale', '--set', 'pricing.model=cpc', '--set', 'price=0.35'];
    const { code, stdout } = await runCommand('main', dataDir, products, '--mapping', 'google', ...set);
    expect(code).to.equal(0);
    expect(stdout).to.not.include('without an advertiser');
    expect(stdout).to.match(/Hill & Dale .* 0\.35 per click/);
    const pays = { advertiser: 'Hill & Dale', pricing: { model: 'cpc', micros: 350_000 } };
    expect(await published()).to.deep.include(pays);
    const mapping = path.join(folder, 'shop.json');
    const fields = { advertiser: 'Hill & Dale', 'pricing.model': 'cpc', price: '0.35', campaign: 'Spring' };
    writeFileSync(mapping, JSON.stringify({ extends: 'google', fields }));
    expect((await runCommand('main', dataDir, products, '--mapping', mapping)).code).to.equal(0);
    expect(await published()).to.deep.include({ ...pays, campaign: 'Spring' });
  });

  it('names column and field of a fault, and exits with 2 for a mapping that cannot be used', async () => {
    writeFileSync(products, `<rss><channel>${item('a').replace('https://', '')}</channel></rss>`);
    const { code, stderr } = await runCommand('main', dataDir, products, '--mapping', 'google');
    expect(code).to.equal(1);
    expect(stderr).to.match(/products\.xml:1: landingUrl \(link\): must be an http or https address/);
    for (const options of [
      ['--mapping', 'other'],
      ['--set', 'price={price}'],
    ]) {
      expect((await runCommand('main', dataDir, products, ...options)).code, options.join(' ')).to.equal(2);
    }
  });

  it('sets fields of a feed without a mapping, too', async () => {
    const feed = writeFeed(folder, [feedRow('a'), feedRow('b', { advertiser: 'Other' })]);
    const { code, stdout } = await runCommand('main', dataDir, feed, '--set', 'advertiser=Hill & Dale');
    expect({ code, anonymous: stdout.includes('without an advertiser') }).to.deep.equal({ code: 0, anonymous: false });
    expect(await published()).to.include({ id: 'a', advertiser: 'Hill & Dale' });
    const wrong = await runCommand('main', dataDir, feed, '--set', 'pricing.model=cpc', '--set', 'price=0,35');
    expect(wrong.code).to.equal(1);
    expect(wrong.stderr.split('\n').filter((line) => line.includes('0,35'))).to.have.length(1);
    expect(wrong.stderr).to.match(/feed\.jsonl: price \(--set\): .* \(in 2 rows, first at line 1\)$/m);
  });
});

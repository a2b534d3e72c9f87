import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { describeMapped } from '../../../indexer/mapping/describe-mapped.js';
import { checkMapped } from '../../support/mapped-feed.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

type Product = Readonly<Record<string, string>>;

const product: Product = {
  id: 'SKU-1-S',
  title: 'Boots™ 27" & more',
  description: '<p>Light, waterproof.</p><ul><li>Resoled for free</li></ul>',
  link: 'https://shop.example/boots?variant=1&utm_source=google',
  image_link: 'https://cdn.example/1.jpg',
  price: '89.00 EUR',
  availability: 'in_stock',
  product_type: 'Outdoor > Shoes',
  google_product_category: 'Apparel & Accessories > Shoes',
  item_group_id: 'SKU-1',
  adult: 'no',
};
const products: readonly Product[] = [
  { ...product, id: 'SKU-1-XS', availability: 'out of stock' },
  product,
  { ...product, id: 'SKU-1-M' },
  {
    ...product,
    id: 'SKU-2',
    item_group_id: '',
    availability: 'Preorder',
    product_type: '',
    description: 'Warm. '.repeat(900),
  },
  { ...product, id: 'SKU-3', item_group_id: '', adult: 'yes' },
];

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const names = Object.keys(product);

/** The same products in each form in which shops deliver them. */
const files: Readonly<Record<string, string>> = {
  'google.tsv': `\ufeff${[
    names.map((name) => name.replaceAll('_', ' ')).join('\t'),
    ...products.map((each) => names.map((name) => each[name]).join('\t')),
  ].join('\r\n')}\r\n`,
  'meta.csv': [
    names.map((name) => `"# Required | The ""${name}"", as …"`).join(','),
    names.join(','),
    ...products.map((each) => names.map((name) => `"${each[name]!.replaceAll('"', '""')}"`).join(',')),
  ].join('\n'),
  'rss.xml': `<?xml version="1.0"?>\r\n<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title>
${products
  .map((each) => {
    const fields = names.filter((name) => each[name] !== '');
    const elements = fields.map((name) => `<g:${name}>${escaped(each[name]!)}</g:${name}>`);
    return `<item><title>other</title>${elements.join('\n')}<g:product_type>Second</g:product_type>
<g:shipping><g:id>DHL</g:id><g:price>4.90 EUR</g:price></g:shipping></item>`;
  })
  .join('\n')}</channel></rss>`,
  'atom.xml': `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0">
${products
  .map(({ id, title, description, link, ...rest }) => {
    const elements = Object.entries(rest).map(([name, text]) => `<g:${name}>${escaped(text)}</g:${name}>`);
    return `<entry><id>tag:${id}</id><g:id>${id}</g:id><title>${escaped(title!)}</title>
<summary><![CDATA[${description}]]></summary><link rel="self" href="https://x.example/"/><link href="${escaped(link!)}"/>
${elements.join('')}</entry>`;
  })
  .join('\n')}</feed>`,
};

describe('--mapping google', () => {
  const folder = temporaryDirectory();
  after(() => rmSync(folder, { recursive: true }));

  for (const [name, content] of Object.entries(files)) {
    it(`reads the products of ${name} as ads, one for all variants, without their prices and images`, async () => {
      const { rows, faults, mapped, mapping } = await checkMapped(folder, name, content, { mapping: 'google' });
      expect(faults).to.deep.equal([]);
      expect(rows).to.have.length(2);
      const common = { imageFile: null, advertiser: null, campaign: null, pricing: null, budgetMicros: null };
      expect(rows[0]).to.deep.include({
        ...common,
        id: 'SKU-1',
        name: 'Boots™ 27" & more',
        text: 'Light, waterproof. Resoled for free',
        landingUrl: 'https://shop.example/boots?variant=1&utm_source=google',
        categories: ['Outdoor', 'Shoes', 'Apparel & Accessories'],
      });
      expect(rows[1]).to.deep.include({ ...common, id: 'SKU-2', text: 'Warm. '.repeat(50).trim() });
      expect(describeMapped(mapped!, mapping!, rows, false).filter((line) => !line.includes('not read'))).to.deep.equal(
        [
          '  left out: 1 with availability “out of stock”, 1 more of an item_group_id, 1 with adult “yes”',
          `  ${name === 'google.tsv' ? 'image link' : 'image_link'} of 5 rows: images must be files beside the feed (FEED.md)`,
          '  texts shortened to 300 characters: 1',
          '  utm_source of links, by which shops count these clicks: “google” 2',
        ],
      );
    });
  }

  it('keeps the ad of a product whose first variant is sold out', async () => {
    const feed = files['meta.csv']!.replaceAll('"in_stock"', '"out_of_stock"').replace(
      /"out_of_stock"(?=[^\n]*\n[^\n]*Preorder)/,
      '"in_stock"',
    );
    const { rows } = await checkMapped(folder, 'next.csv', feed, { mapping: 'google' });
    expect(rows.map(({ id }) => id)).to.deep.equal(['SKU-1', 'SKU-2']);
  });

  it('can be extended by what the ads cost, and by other fields', async () => {
    const mapping = {
      extends: 'google',
      fields: { advertiser: 'Hill & Dale', 'pricing.model': 'cpc', price: '0.35', image: '' },
      leaveOut: { availability: ['preorder'] },
      maxTextLength: 20,
    };
    const { rows, faults } = await checkMapped(folder, 'rss.xml', files['rss.xml']!, { mapping });
    expect([faults, rows.length]).to.deep.equal([[], 1]);
    expect(rows[0]).to.deep.include({
      id: 'SKU-1',
      advertiser: 'Hill & Dale',
      pricing: { model: 'cpc', micros: 350_000 },
      text: 'Light, waterproof.',
    });
  });

  it('is needed for XML, which says so without it', async () => {
    const error = await checkMapped(folder, 'rss.xml', files['rss.xml']!).catch((thrown: Error) => thrown);
    expect(error).to.be.instanceOf(Error).with.property('message').that.includes('--mapping google');
  });
});

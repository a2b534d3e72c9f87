import { expect } from 'chai';
import fc from 'fast-check';
import { describeFault } from '../../../indexer/feed/feed-entry.js';
import { feedLines } from '../../../indexer/feed/feed-text.js';
import { readXml } from '../../../indexer/feed/xml-feed.js';
import { anyText, damaged } from '../../support/hostile-values.js';

describe('a feed in XML', () => {
  const read = async (xml: string | Buffer) => {
    const { entries, fatal } = await readXml(await feedLines(Buffer.from(xml)));
    return {
      rows: entries.flatMap((entry) => ('value' in entry ? [{ ...(entry.value as Record<string, string>) }] : [])),
      faults: entries.flatMap((entry) => ('fault' in entry ? [`${entry.line}: ${entry.fault.message}`] : [])),
      fatal: fatal.map((fault) => describeFault('a.xml', fault)),
    };
  };
  const rss = (...items: readonly string[]): string =>
    `<rss><channel>\n${items.map((item) => `<item>${item}</item>`).join('\n')}\n</channel></rss>`;

  it('expands no entity that it declares, and takes the fault as one of the row', async () => {
    const dtd = '<!DOCTYPE rss [<!ENTITY a "x"><!ENTITY b SYSTEM "file:///etc/passwd">]>';
    const { rows, faults, fatal } = await read(
      dtd + rss('<title>&a;</title>', '<title>&b;</title>', '<title>A&nbsp;&trade;</title>'),
    );
    expect([rows, fatal]).to.deep.equal([[{ title: 'A\u00a0™' }], []]);
    expect(faults).to.deep.equal([
      '2: is not valid XML: invalid character entity (line 2)',
      '3: is not valid XML: invalid character entity (line 3)',
    ]);
  });

  it('has the texts of an item’s own elements, not those of elements within them', async () => {
    const shipping = '<g:shipping><title>DHL</title><g:price>5 EUR</g:price></g:shipping>';
    const { rows } = await read(
      rss(`${shipping}<title>A</title><g:title>B <b>c</b></g:title><title>D</title>`, '<x:id>1</x:id>'),
    );
    expect(rows).to.deep.equal([{ shipping: 'DHL5 EUR', title: 'B c' }, {}]);
  });

  it('loses only the row that is not valid XML', async () => {
    const { rows, faults, fatal } = await read(rss('<title>R & D</title>', '<title>a<b>c</title>', '<title>d</title>'));
    expect([rows, fatal]).to.deep.equal([[{ title: 'd' }], []]);
    expect(faults).to.have.length(2);
  });

  it('is refused as a whole if it is cut short', async () => {
    const whole = rss('<title>a</title>', '<title>b</title>');
    for (const cut of [1, 8, 25, 40]) {
      const { fatal } = await read(whole.slice(0, -cut));
      expect(fatal.join(), `without ${cut}`).to.match(/^a\.xml:\d: .*cut short; fetch it again$/);
    }
  });

  it('is refused if it has no rows, elements within too many others, or too many faults', async () => {
    expect((await read('<html><body/></html>')).fatal).to.deep.equal([
      'a.xml:1: has no <item> and no <entry>; expected a product feed in RSS 2.0 or Atom',
    ]);
    for (const [before, behind] of [
      ['<item id="', '">'],
      ['<item><', '>'],
      ['<item><id>&', ';</id></item>'],
      ['<!--', '-->'],
    ] as const) {
      expect((await read(rss(`${before}${'a'.repeat(400_000)}${behind}`))).fatal).to.deep.equal([
        'a.xml:2: has a tag, comment or entity of more than 64 KiB',
      ]);
    }
    expect((await read('<a>'.repeat(100_000) + '</b>'.repeat(100_000))).fatal.join()).to.include(
      'within more than 100',
    );
    expect((await read(rss('&;'.repeat(100_000)))).fatal.join()).to.include('more than 10,000 faults');
    expect((await read(`${rss()}junk`)).fatal.join()).to.include('outside of root');
  });

  it('is read to its end, whatever it contains', async () => {
    const good = Buffer.from(
      `<?xml version="1.0"?>${rss('<g:id>a</g:id><link href="x"/><d><![CDATA[b]]></d>', '<id>b</id>')}`,
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged(good), anyText), async (content) => {
        for (const row of (await read(content)).rows)
          for (const cell of Object.values(row)) expect(cell).to.be.a('string');
      }),
      { numRuns: 300 },
    );
  });
});

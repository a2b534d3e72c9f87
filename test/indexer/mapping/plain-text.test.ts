import { expect } from 'chai';
import { plainText } from '../../../indexer/mapping/plain-text.js';
import { shorten } from '../../../indexer/mapping/shorten.js';

describe('the text of a cell', () => {
  it('is what a browser would show, on one line', () => {
    const texts: Readonly<Record<string, string>> = {
      '<p class="x">A<b>B</b>c</p><br/>d': 'ABc d',
      'a<!-- <p> -->b<!-- c': 'ab',
      'a<script>alert("<b>")</script>b<STYLE>p {}': 'a b',
      'caf&eacute;&nbsp;&ndash; &#8364;&#x20ac; &#150; &trade;': 'café – €€ – ™',
      'a\u00a0\r\n\t b\\nc\u0000\u202ed': 'a b c d',
      '&lt;p&gt; &amp;amp; &bogus; &#xd800;&#9999999;': '<p> &amp; &bogus;',
      '5 < 6 > 4, I <3 R&D; <you@a.example> x<': '5 < 6 > 4, I <3 R&D; <you@a.example> x<',
    };
    for (const [html, text] of Object.entries(texts)) expect(plainText(html)).to.equal(text);
  });

  it('takes linear time, whatever it is', () => {
    for (const part of ['<', '<!--', '<a ', '<a <', '<script>', '</', '&', '&#1', '\\'])
      expect(() => shorten(plainText(part.repeat(200_000)), 300)).to.not.throw();
  }).timeout(20_000);

  it('is shortened behind a sentence or a word, and never within a character', () => {
    expect(shorten('Short.', 20)).to.equal('Short.');
    expect(shorten('A first sentence. A second one. ', 25)).to.equal('A first sentence.');
    expect(shorten('No. A sentence that goes on and on', 25)).to.equal('No. A sentence that goes…');
    expect(shorten('日本語です。とても軽い靴。とても軽い靴。', 14)).to.equal('日本語です。とても軽い靴。');
    for (let max = 20; max < 30; max++) {
      const short = shorten('👩‍👩‍👧😀'.repeat(9), max);
      expect(short.isWellFormed() && short.length <= max).to.equal(true);
    }
  });
});

import { expect } from 'chai';
import { createPhraseSearch } from '../../../models/text/phrase-search.js';

describe('a search for phrases', () => {
  const isSaid = (phrase: string, ...texts: string[]): boolean => createPhraseSearch(() => texts).hasAny([phrase]);

  it('finds whole words, one after another', () => {
    expect(isSaid('used car', 'Which used car is best?')).to.equal(true);
    expect(isSaid('used car', 'I used his car')).to.equal(false);
    expect(isSaid('car', 'a carpet, a scar')).to.equal(false);
    expect(isSaid('vw golf', 'VW-Golf or Polo?')).to.equal(true);
  });

  it('ignores case, accents, width, punctuation and English plural endings', () => {
    const pairs = [
      ['second hand', 'Second-hand, please'],
      ['jobs', 'a job near me'],
      ['job', 'JOBS near me'],
      ['größe', 'welche Groesse? welche GRÖSSE?'],
      ['cafe', 'le café du coin'],
      ['free', 'ＦＲＥＥ tickets'],
      ["women's", 'shoes, women’s'],
    ] as const;
    for (const [phrase, text] of pairs) expect(isSaid(phrase, text), phrase).to.equal(true);
  });

  it('finds characters of scripts without spaces wherever they are', () => {
    expect(isSaid('中古', '中古車を探しています')).to.equal(true);
    expect(isSaid('新車', '中古車を探しています')).to.equal(false);
  });

  it('finds the first or any other phrase, in any text, but none across two texts', () => {
    const search = createPhraseSearch(() => ['cheap flights', 'to Rome']);
    expect(search.hasAny(['hotels', 'flight'])).to.equal(true);
    expect(search.hasAny(['Rome'])).to.equal(true);
    expect(search.hasAny(['flights to'])).to.equal(false);
    expect(search.hasAny([])).to.equal(false);
    expect(search.hasAny(['!?'])).to.equal(false);
  });

  it('reads the texts once, and not before it is asked', () => {
    let read = 0;
    const search = createPhraseSearch(() => [`read ${++read}`]);
    expect(read).to.equal(0);
    expect([search.hasAny(['read']), search.hasAny(['2'])]).to.deep.equal([true, false]);
    expect(read).to.equal(1);
  });

  it('finds a phrase only whole, not in two parts', () => {
    expect(isSaid('a used car', 'a used bike and her used car')).to.equal(false);
    expect(isSaid('a used car', 'a used bike, a used car')).to.equal(true);
    expect(isSaid('東京都', '東京と京都')).to.equal(false);
    expect(isSaid('東京都', '東京と京都と東京都')).to.equal(true);
    expect(isSaid('酒', '日本酒')).to.equal(true);
  });

  it('takes a phrase for said after fifty others that were ruled out by the whole text alone', () => {
    const ring = Array.from({ length: 60 }, (_, at) => String.fromCharCode(0x4e00 + at));
    const pairs = ring.map((one, at) => `${one}${ring[(at + 1) % 60]}`);
    const search = createPhraseSearch(() => [pairs.join(' ')]);
    const found = ring.map((one, at) => search.hasAny([`${one}${ring[(at + 1) % 60]}${ring[(at + 2) % 60]}`]));
    expect(found.indexOf(true)).to.equal(50);
    expect(search.hasAny(['一七'])).to.equal(false);
    expect(ring.slice(0, 50).some((one, at) => search.hasAny([`${one}${ring[at + 1]}${ring[at + 2]}`]))).to.equal(
      false,
    );
  });

  it('searches the whole text for hardly any phrase, however many there are', () => {
    const search = createPhraseSearch(() => ['中'.repeat(5000), `${'a b '.repeat(1000)} c`]);
    const others = Array.from({ length: 100 }, (_, at) => String.fromCharCode(0x4e2e + at));
    const phrases = [...others, ...others.map((one) => `中中${one}`), 'b c a', 'd', 'a d b'];
    for (let ad = 0; ad < 100; ad++) expect(search.hasAny(phrases)).to.equal(false);
  });
});

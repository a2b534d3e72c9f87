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
});

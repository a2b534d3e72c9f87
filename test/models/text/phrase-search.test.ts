import { expect } from 'chai';
import { indexPhrases, type PhraseSearch } from '../../../models/text/phrase-search.js';

describe('a search for phrases', () => {
  const search = async (lists: readonly (readonly string[])[], ...texts: string[]): Promise<PhraseSearch> =>
    (await indexPhrases(lists)).search(() => texts);
  const isSaid = async (phrase: string, ...texts: string[]): Promise<boolean> => {
    const list = [phrase];
    return (await search([['something else'], list], ...texts)).hasAny(list);
  };

  it('finds whole words, one after another', async () => {
    expect(await isSaid('used car', 'Which used car is best?')).to.equal(true);
    expect(await isSaid('used car', 'I used his car')).to.equal(false);
    expect(await isSaid('used car', 'a car, used')).to.equal(false);
    expect(await isSaid('car', 'a carpet, a scar')).to.equal(false);
    expect(await isSaid('vw golf', 'VW-Golf or Polo?')).to.equal(true);
  });

  it('ignores case, accents, width, punctuation and English plural endings', async () => {
    const pairs = [
      ['second hand', 'Second-hand, please'],
      ['jobs', 'a job near me'],
      ['job', 'JOBS near me'],
      ['größe', 'welche Groesse? welche GRÖSSE?'],
      ['cafe', 'le café du coin'],
      ['free', 'ＦＲＥＥ tickets'],
      ["women's", 'shoes, women’s'],
    ] as const;
    for (const [phrase, text] of pairs) expect(await isSaid(phrase, text), phrase).to.equal(true);
  });

  it('finds characters of scripts without spaces wherever they are', async () => {
    expect(await isSaid('中古', '中古車を探しています')).to.equal(true);
    expect(await isSaid('新車', '中古車を探しています')).to.equal(false);
    expect(await isSaid('酒', '日本酒')).to.equal(true);
    expect(await isSaid('東京都', '東京と京都')).to.equal(false);
    expect(await isSaid('東京都', '東京と京都と東京都')).to.equal(true);
    expect(await isSaid('SUVの中古車', 'suvの中古車は?')).to.equal(true);
  });

  it('finds the first or any other phrase of a list, in any text, but none across two texts', async () => {
    const lists = [['hotels', 'flight'], ['Rome'], ['flights to'], [], ['!?'], ['flight', 'Rome']];
    const found = await search(lists, 'cheap flights', 'to Rome');
    expect(lists.map((list) => found.hasAny(list))).to.deep.equal([true, true, false, false, false, true]);
  });

  it('finds a phrase only whole, and one that begins another', async () => {
    expect(await isSaid('a used car', 'a used bike and her used car')).to.equal(false);
    expect(await isSaid('a used car', 'a used bike, a used car')).to.equal(true);
    const lists = [['a used car'], ['a used'], ['a used car of mine'], ['used']];
    const found = await search(lists, 'her bike, a used car');
    expect(lists.map((list) => found.hasAny(list))).to.deep.equal([true, true, false, true]);
  });

  it('takes a list that was not indexed for said', async () => {
    expect((await search([['used']], 'new')).hasAny(['used'])).to.equal(true);
  });

  it('reads no text without phrases', async () => {
    const read = () => expect.fail('was read');
    expect(await (await indexPhrases([undefined, [], ['!?']])).search(read)).to.have.property('hasAny');
  });

  it('takes no time for phrases whose words were said in another order, however many there are', async () => {
    const order = (at: number) => Array.from({ length: 7 }, (_, bit) => ((at >> bit) & 1 ? 'a' : 'b')).join(' ');
    const lists = Array.from({ length: 1500 }, (_, ad) =>
      Array.from(
        { length: 100 },
        (_, at) => `${order(at)} b a b a b a b a b a b a a b b a b b a ${ad % 2 ? 'c' : 'd'}`,
      ),
    );
    const index = await indexPhrases(lists);
    const before = process.cpuUsage();
    const found = await index.search(() => [`${'a b '.repeat(1000)} a a b b c a d a c b d`]);
    for (let again = 0; again < 5; again++) expect(lists.some((list) => found.hasAny(list))).to.equal(false);
    const { user } = process.cpuUsage(before);
    // Microseconds. To look for each phrase would take seconds.
    expect(user).to.be.below(500_000);
  });

  it('lets the event loop go on', async () => {
    const lists = [Array.from({ length: 70 }, (_, at) => '中'.repeat(at + 2))];
    const index = await indexPhrases(lists);
    let turns = 0;
    const count = (): void => void (turns++, (next = setImmediate(count)));
    let next = setImmediate(count);
    const found = await index.search(() => ['中'.repeat(2000)]);
    clearImmediate(next);
    expect(found.hasAny(lists[0]!)).to.equal(true);
    expect(turns).to.be.above(50);
  });
});

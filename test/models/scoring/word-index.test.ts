import { expect } from 'chai';
import fc from 'fast-check';
import { buildWordIndex } from '../../../models/scoring/word-index.js';
import { wordsOf } from '../../../models/scoring/words-of.js';
import {
  correctionsOf,
  type Effort,
  effortForText,
  prepareCorrections,
} from '../../../models/scoring/spelling-corrections.js';

// A hundred creatives, so that a word in one of them is rare and a word in all of them is not.
const brands = ['Kérastase', 'Pedors', 'Thermomix', 'Vexley', 'UN55ES7100'];
const texts = Array.from({ length: 100 }, (_, at) => `${brands[at] ?? ''} Everything for your household, delivered`);

describe('shared rare words', () => {
  const labels = async (text: string) => [...(await buildWordIndex(texts)).find(text).scores.keys()];

  it('are found regardless of accents and case', async () => {
    expect(await labels('kerastase shampoo')).to.deep.equal([0]);
    expect(await labels('KE\u0301RASTASE')).to.deep.equal([0]);
  });

  it('are found in scripts without spaces, with vowel signs, and without Arabic diacritics', async () => {
    const words = await buildWordIndex([...texts, '東京の温泉旅館を予約', 'नए टायर घर पर', 'إطارات شتويّة']);
    const labelsOf = (text: string) => [...words.find(text).scores.keys()];
    expect(labelsOf('温泉に行きたい')).to.deep.equal([100]);
    expect(labelsOf('मुझे टायर चाहिए')).to.deep.equal([101]);
    expect(labelsOf('ابحث عن اطارات')).to.deep.equal([102]);
    expect(wordsOf('ISPARTA’da kışlık')).to.deep.equal(wordsOf('ispartada KISLIK'));
  });

  it('are found despite one spelling mistake', async () => {
    for (const typo of ['pendors', 'padors', 'pedosr', 'Themomix', 'Thermomax']) {
      expect(await labels(`User: ${typo} please`), typo).to.deep.equal([typo.startsWith('T') ? 2 : 1]);
    }
  });

  it('are not found for a word that many creatives have, nor for a different number', async () => {
    expect(await labels('delivered to my household')).to.deep.equal([]);
    expect(await labels('un55es7101')).to.deep.equal([]);
  });

  it('are found with letters that Unicode does not decompose', async () => {
    const words = await buildWordIndex([...texts, 'Ørsted and Łódź, Große Straße']);
    for (const said of ['orsted', 'Lodz', 'grosse', 'strasse'])
      expect([...words.find(said).scores.keys()], said).to.deep.equal([100]);
  });

  it('are not corrected to if an ordinary word is as close', async () => {
    const words = await buildWordIndex([...texts.map((text) => `${text} at one price`), 'prize thief Youra']);
    for (const said of ['prise', 'thier', "you're"])
      expect([...words.find(said).scores.keys()], said).to.deep.equal([]);
  });

  it('are words that few ads anywhere have, not those that only a small catalogue has once', async () => {
    const few = await buildWordIndex(['Trim your hedge this week', 'Boots for a day at work', 'A lawn as you like it']);
    expect(few.find('my hedge is getting out of control').scores.get(0)).to.be.above(2);
    expect([...few.find('every day at work, for three hours').scores.keys()]).to.deep.equal([]);
  });

  it('are those that few creatives have in other languages, of which nothing else is known', async () => {
    const others = Array.from(
      { length: 60 },
      (_, at) => `Schnelle Lieferung nach Hause${at % 3 === 0 ? ' ab Lager' : ''}`,
    );
    const words = await buildWordIndex([...others, 'Heckenschere mit Akku, schnelle Lieferung']);
    expect([...words.find('eine Heckenschere ab Lager').scores.keys()]).to.deep.equal([60]);
  });

  it('say how rare the words of a text are, whether a creative has them or not', async () => {
    const words = await buildWordIndex(texts);
    const rarityOf = (text: string) => words.find(text).rarity;
    expect(rarityOf('every day at work, for three hours')).to.equal(0);
    expect(rarityOf('my hedge')).to.be.within(2, 6);
    expect(rarityOf('my hedge, the hedge')).to.equal(rarityOf('my hedge'));
    expect(rarityOf('thermomix for my hedge')).to.be.above(rarityOf('my hedge') + 2);
  });

  it('are not corrected to from a word that English texts use, nor past a common one', async () => {
    const few = await buildWordIndex([
      'A planter for the balcony',
      'A lathe for your workshop',
      'Thermomix cooks for you',
      'Wranglor is our brand',
    ]);
    for (const said of ['my weekly planner', 'a wrangler', 'lathr'])
      expect([...few.find(said).scores.keys()], said).to.deep.equal([]);
    expect([...few.find('a termomix').scores.keys()]).to.deep.equal([2]);
  });

  it('count in a catalogue of thirty creatives too', async () => {
    expect([...(await buildWordIndex(texts.slice(0, 30))).find('thermomix').scores.keys()]).to.deep.equal([2]);
  });

  it('are limited to the rarest of a text in a large catalogue', async () => {
    const kinds = 'anvil banjo cello dingo ember finch gecko heron ibis jackal kestrel lemur'.split(' ');
    const large = Array.from({ length: 60_000 }, (_, at) => `${kinds[at % 34] ?? 'shop'} ${at === 33 ? 'zither' : ''}`);
    const words = await buildWordIndex(large);
    expect(words.find('a lemur').scores.size).to.equal(1765);
    const { scores } = words.find(`${kinds.join(' ')} zither`);
    expect(scores.size).to.be.within(15_000, 20_000);
    expect(scores.get(33)).to.be.above(1);
  });

  it('are not corrected to if the catalogue has the word as spelled', async () => {
    const words = await buildWordIndex([...texts, 'Vexler watches', 'Vexler straps']);
    expect([...words.find('vexler').scores.keys()]).to.deep.equal([100, 101]);
  });
});

describe('the spelling corrections of a word', () => {
  const none: ReadonlySet<string> = new Set();
  const correctionsTo = async (rare: readonly string[]) => {
    const spellings = await prepareCorrections(rare, none);
    return (word: string, effort?: Effort) => correctionsOf(spellings, word, effort);
  };
  const word = fc.stringMatching(/^[a-z]{5,12}$/);
  const letter = fc.stringMatching(/^[a-z]$/);

  it('include every word one typo away with the same first letter', async () => {
    await fc.assert(
      fc.asyncProperty(word, letter, fc.nat(), fc.constantFrom(...typos), async (meant, other, where, typo) => {
        const said = typo(meant, where, other);
        fc.pre(said !== meant && said.length >= 5);
        expect((await correctionsTo([meant]))(said)).to.deep.equal([meant]);
      }),
    );
  });

  it('are none for words two edits away, short ones, or another first letter', async () => {
    const meant = await correctionsTo(['thermomix', 'shoe', 'pedors']);
    for (const said of ['thremomx', 'shoes', 'sho', 'bedors', 'thermomixers'])
      expect(meant(said), said).to.deep.equal([]);
  });

  it('are none once a text has taken its effort: a catalogue may have thousands of words that begin alike', async () => {
    const alike = Array.from(
      { length: 30_000 },
      (_, at) => `con${at.toString(26).replaceAll(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!)}`,
    );
    const corrections = await correctionsTo([...alike, 'thermomix']);
    const effort = effortForText();
    expect(corrections('thermomx', effort)).to.deep.equal(['thermomix']);
    const { left } = effort;
    for (let at = 0; at < 200; at++) corrections(`con${'abcdefghij'[at % 10]}zz`, effort);
    expect(left - effort.left).to.be.greaterThan(0);
    // Whatever is said, no more is compared than the effort; a word with fewer candidates still has its turn.
    expect(effort.left).to.be.at.least(0);
    expect(corrections('thermomx', { left: 0 })).to.deep.equal([]);
    expect(corrections('thermomx', effort)).to.deep.equal(['thermomix']);
  });

  it('do not go through words that begin alike if the effort does not suffice for them', async () => {
    const { meant, ordinary } = await prepareCorrections(
      Array.from(
        { length: 300 },
        (_, at) => `con${'abcdefghijklmnopqrst'[at % 20]}${'abcdefghijklmnopqrst'[at % 15]}zz`,
      ),
      none,
    );
    const untouchable = new Proxy(meant.groups.nexts, {
      get() {
        throw new Error('goes through a list');
      },
    });
    const spellings = { meant: { ...meant, groups: { ...meant.groups, nexts: untouchable } }, ordinary };
    expect(() => correctionsOf(spellings, 'conzazz', { left: 1000 })).to.throw('goes through');
    expect(correctionsOf(spellings, 'conzazz', { left: 20 })).to.deep.equal([]);
  });

  it('are none for words of more than 32 letters, which take long to compare', async () => {
    const long = 'donaudampfschifffahrtsgesellscha';
    const corrections = await correctionsTo([long, `${long}ft`]);
    expect(corrections(long.replace('mpf', 'mp'))).to.deep.equal([long]);
    const effort = effortForText();
    const { left } = effort;
    for (const said of [`${long}f`, `${long}fx`, 'b'.repeat(200)]) {
      expect(corrections(said, effort), said).to.deep.equal([]);
    }
    expect(effort.left).to.equal(left);
  });

  it('are none if too many words are close', async () => {
    const near = ['banks', 'bands', 'bangs', 'banns'];
    expect((await correctionsTo(near.slice(0, 3)))('banxs')).to.have.members(near.slice(0, 3));
    expect((await correctionsTo(near))('banxs')).to.deep.equal([]);
  });
});

/** Functions that make one typo after the first letter, up to and including the last letter. */
const typos: ((word: string, where: number, letter: string) => string)[] = [
  (word, where) => spliced(word, 1 + (where % (word.length - 1)), 1, ''),
  (word, where, letter) => spliced(word, 1 + (where % word.length), 0, letter),
  (word, where, letter) => spliced(word, 1 + (where % (word.length - 1)), 1, letter),
  (word, where) => {
    const at = 1 + (where % (word.length - 2));
    return spliced(word, at, 2, word[at + 1]! + word[at]!);
  },
];

const spliced = (word: string, at: number, count: number, by: string): string =>
  word.slice(0, at) + by + word.slice(at + count);

import { expect } from 'chai';
import fc from 'fast-check';
import { indexWords } from '../../../models/scoring/shared-words.js';
import { spellings } from '../../../models/scoring/spellings.js';

// A hundred creatives, so that a word of one of them is rare, and one of all of them is not.
const brands = ['Kérastase', 'Pedors', 'Thermomix', 'Vexley', 'UN55ES7100'];
const texts = Array.from({ length: 100 }, (_, at) => `${brands[at] ?? ''} Everything for your household, delivered`);

describe('shared rare words', () => {
  const labels = async (text: string) => [...(await indexWords(texts)).scores(text).keys()];

  it('are found however accents and case are written', async () => {
    expect(await labels('kerastase shampoo')).to.deep.equal([0]);
    expect(await labels('KE\u0301RASTASE')).to.deep.equal([0]);
  });

  it('are found through one slip', async () => {
    for (const slip of ['pendors', 'padors', 'pedosr', 'Themomix', 'Thermomax']) {
      expect(await labels(`User: ${slip} please`), slip).to.deep.equal([slip.startsWith('T') ? 2 : 1]);
    }
  });

  it('are not guessed from a word that many creatives have, nor from another number', async () => {
    expect(await labels('delivered to my household')).to.deep.equal([]);
    expect(await labels('un55es7101')).to.deep.equal([]);
  });

  it('are not guessed where the catalogue has the word as it is written', async () => {
    const words = await indexWords([...texts, 'Vexler watches', 'Vexler straps']);
    expect([...words.scores('vexler').keys()]).to.deep.equal([100, 101]);
  });
});

describe('what a misspelt word may stand for', () => {
  const word = fc.stringMatching(/^[a-z]{6,12}$/);
  const letter = fc.stringMatching(/^[a-z]$/);

  it('is every word one slip away that begins alike', async () => {
    await fc.assert(
      fc.asyncProperty(word, letter, fc.nat(), fc.constantFrom(...slips), async (meant, other, where, slip) => {
        const said = slip(meant, 1 + (where % (meant.length - 2)), other);
        fc.pre(said !== meant);
        expect((await spellings([meant]))(said)).to.deep.equal([meant]);
      }),
    );
  });

  it('is nothing two slips away, short, or with another first letter', async () => {
    const meant = await spellings(['thermomix', 'shoe', 'pedors']);
    for (const said of ['thremomx', 'shoes', 'sho', 'bedors', 'thermomixers'])
      expect(meant(said), said).to.deep.equal([]);
  });

  it('is nothing where too many words are near', async () => {
    const near = ['banks', 'bands', 'bangs', 'banns'];
    expect((await spellings(near.slice(0, 3)))('banxs')).to.have.members(near.slice(0, 3));
    expect((await spellings(near))('banxs')).to.deep.equal([]);
  });
});

const slips: ((word: string, at: number, letter: string) => string)[] = [
  (word, at) => word.slice(0, at) + word.slice(at + 1),
  (word, at, letter) => word.slice(0, at) + letter + word.slice(at),
  (word, at, letter) => word.slice(0, at) + letter + word.slice(at + 1),
  (word, at) => word.slice(0, at) + word[at + 1]! + word[at]! + word.slice(at + 2),
];

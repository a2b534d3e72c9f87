import { expect } from 'chai';
import { memorySearch } from '../../../models/index/catalogue-search.js';
import { exactIndex } from '../../../models/index/vector-index.js';
import { plainModel } from '../../../models/scoring/decision-model.js';
import { rank } from '../../../models/scoring/rank.js';
import { featuresOf, scoreOf } from '../../../models/scoring/score.js';
import { buildWordIndex } from '../../../models/scoring/word-index.js';

describe('a ranking', () => {
  const texts = ['Trim your hedge this week', 'The right boots for winter'];
  const vectors = Float32Array.from([1, 0, 1, 0]);
  const model = { ...plainModel('made'), lexical: { weight: 0.1, saturation: 10 } };
  const rankingOf = async (text: string, of = model) => {
    const catalogue = { search: memorySearch(exactIndex(vectors, 2), vectors, 2), words: await buildWordIndex(texts) };
    return rank(catalogue, Float32Array.from([1, 0]), text, of);
  };

  it('puts the creative that shares rare words first among equally similar ones', async () => {
    for (const [text, first] of [
      ['the hedge is getting out of control', 0],
      ['boots', 1],
    ] as const) {
      const { candidates } = await rankingOf(text);
      expect(candidates.map(({ label }) => label)).to.deep.equal([first, 1 - first]);
      expect(candidates[0]!.relevance).to.be.within(1.001, 1.1);
      expect(candidates[1]).to.include({ lexical: 0, relevance: 1, overlap: 0 });
    }
  });

  it('measures the overlap by what else the text says', async () => {
    const overlapOf = async (text: string) => (await rankingOf(text)).candidates[0]!.overlap;
    const [alone, among] = [await overlapOf('my hedge'), await overlapOf('hedge, poodle, saxophone, lemur, zither')];
    expect(alone).to.be.within(0.15, 0.6);
    expect(among).to.be.within(0.01, alone / 2);
  });

  it('scores a candidate by its overlap', async () => {
    const ranking = await rankingOf('my hedge');
    const scores = [0, 1].map((at) =>
      scoreOf(featuresOf(ranking, at, { advertisable: 0 }), { weights: [0, 0, 0, 2], bias: 0 }),
    );
    expect(scores[0]).to.be.within(0.7, 0.99);
    expect(scores[1]).to.equal(0.5);
  });

  it('finds the strongest of thousands that share words, also if the filter rejects the strongest thousand', async () => {
    const size = 3000;
    const same = Float32Array.from({ length: 2 * size }, (_, at) => 1 - (at % 2));
    const scores = new Map(Array.from({ length: size }, (_, label) => [label, 1 + ((label * 7) % size)]));
    const catalogue = {
      search: memorySearch(exactIndex(same, 2), same, 2),
      words: { find: () => ({ scores, rarity: 5 }) },
    };
    for (const most of [size, 1500, 3]) {
      const accept = (label: number) => scores.get(label)! <= most;
      const { candidates } = await rank(catalogue, Float32Array.from([1, 0]), 'x', model, { accept });
      const expected = [...scores.keys()].filter(accept).toSorted((a, b) => scores.get(b)! - scores.get(a)!);
      expect(candidates.map(({ label }) => label).slice(0, 3)).to.deep.equal(expected.slice(0, 3));
    }
  });

  it('ignores words if the model gives them no weight', async () => {
    const { candidates } = await rankingOf('my hedge', plainModel('made'));
    for (const { lexical, overlap } of candidates) expect([lexical, overlap]).to.deep.equal([0, 0]);
  });
});

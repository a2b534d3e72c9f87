import { expect } from 'chai';
import fc from 'fast-check';
import { distance } from 'fastest-levenshtein';
import { commonWords, isKnownEnglishWord, usesEnglishWords } from '../../../models/scoring/document-frequencies.js';
import { rarityIn } from '../../../models/scoring/rarity.js';
import { buildWordIndex } from '../../../models/scoring/word-index.js';
import { STOPWORDS, wordsOf } from '../../../models/scoring/words-of.js';

// Few letters, so that many words are alike; and words that are ordinary in English.
const word = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[ab]{4,7}$/) },
  { weight: 1, arbitrary: fc.constantFrom('hedge', 'free', 'planter', 'the', 'Öl', 'UN55', 'größe', 'theirs') },
);
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));

describe('an index of rare words', () => {
  it('finds what comparing a text with all texts finds, however it was built', async function () {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 60 }), text, async (texts, said) => {
        const expected = matchesAmong(texts, said);
        expectSame((await buildWordIndex(texts)).find(said).scores, expected);
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 60 }), text, async (texts, said) => {
        const index = await buildWordIndex(texts, { inThread: true });
        expectSame(index.find(said).scores, matchesAmong(texts, said));
      }),
      { numRuns: 5 },
    );
  });

  it('is the same if a thread has built it from many batches of texts', async () => {
    const words = (at: number): string => Array.from({ length: 30 }, (_, each) => `w${(at * each) % 997}`).join(' ');
    const texts = Array.from(
      { length: 3000 },
      (_, at) => `${words(at)} ${'x'.repeat(at % 40)}${at} ${at % 7} ${at % 7}`,
    );
    const [one, other] = [await buildWordIndex(texts), await buildWordIndex(texts, { inThread: true })];
    for (const said of [texts[1234]!, texts[2999]!, 'w5 w77', `${'x'.repeat(39)}2999`]) {
      expect(one.find(said).scores.size, said).to.be.above(0);
      expect([...other.find(said).scores], said).to.deep.equal([...one.find(said).scores]);
    }
  });
});

function expectSame(found: ReadonlyMap<number, number>, expected: ReadonlyMap<number, number>): void {
  expect([...found.keys()]).to.have.members([...expected.keys()]);
  for (const [label, score] of expected) expect(found.get(label)).to.be.closeTo(score, 1e-9);
}

/** BM25 by label, computed from the definition. */
function matchesAmong(texts: readonly string[], said: string): ReadonlyMap<number, number> {
  const own = texts.map(wordsOf);
  const average = own.flat().length / Math.max(1, own.length);
  const rarity = rarityIn(own.length);
  const weightsOf = (each: string) => rarity(each, own.filter((words) => words.includes(each)).length);
  const all = [...new Set(own.flat())];
  const rare = all.filter((each) => !STOPWORDS.has(each) && Math.max(...weightsOf(each)) > 0);
  const ordinary = new Set([...STOPWORDS, ...commonWords(), ...all.filter((each) => !rare.includes(each))]);
  const spoken = new Set(wordsOf(said));
  const meant = new Set(spoken);
  for (const each of spoken) {
    if (rare.includes(each) || isKnownEnglishWord(each) || ordinary.has(each)) continue;
    const near = [...new Set([...rare, ...ordinary])].filter((other) => isTypo(each, other));
    if (near.length <= 3 && !near.some((other) => ordinary.has(other))) for (const other of near) meant.add(other);
  }
  const scores = new Map<number, number>();
  for (const each of meant) {
    if (!rare.includes(each)) continue;
    for (const [label, words] of own.entries()) {
      const count = words.filter((other) => other === each).length;
      const weight = weightsOf(each)[usesEnglishWords(words) ? 1 : 0];
      if (count === 0 || weight <= 0) continue;
      const norm = 1.2 * (1 - 0.75 + (0.75 * words.length) / average);
      scores.set(label, (scores.get(label) ?? 0) + (weight * count * 2.2) / (count + norm));
    }
  }
  return scores;
}

function isTypo(one: string, other: string): boolean {
  const areWords = [one, other].every((each) => /^\p{L}{5,32}$/u.test(each));
  if (!areWords || one[0] !== other[0]) return false;
  if (distance(one, other) === 1) return true;
  return Array.from(one, (_, at) => one.slice(0, at) + (one[at + 1] ?? '') + one[at]! + one.slice(at + 2)).includes(
    other,
  );
}

import { expect } from 'chai';
import type { Candidate } from '../../../models/scoring/rank.js';
import { featuresOf } from '../../../models/scoring/score.js';

// Orthogonal ads, so that no two are similar.
const vectors = (count: number) =>
  Float32Array.from({ length: count * count }, (_, at) => (at % (count + 1) === 0 ? 1 : 0));
const rows = (dims: number) => ({ dims, vectors: vectors(dims), from: (label: number) => label * dims });
const ranking = (...relevances: number[]): Candidate[] =>
  relevances.map((relevance, label) => ({ label, similarity: relevance, lexical: 0, relevance, overlap: 0 }));
const massOf = (candidates: Candidate[], missingRanks?: number) =>
  featuresOf({ candidates, rows: rows(candidates.length) }, 0, { advertisable: 0, missingRanks }).mass;

describe('the probability mass of the first ad', () => {
  it('is low in a small catalogue where even the nearest ad is far away', () => {
    expect(massOf(ranking(0.24, 0.1, 0.05))).to.be.below(0.1);
    expect(massOf(ranking(0.24))).to.be.below(0.1);
  });

  it('is high in a small catalogue where the nearest ad is close', () => {
    expect(massOf(ranking(0.75, 0.1, 0.05))).to.be.above(0.85);
  });

  it('weights missing ranks as the model specifies', () => {
    const small = ranking(0.4, 0.1);
    expect(massOf(small, 0.1)).to.be.above(massOf(small) + 0.2);
    expect(massOf(small, 0)).to.be.closeTo(1 / (1 + Math.exp(-0.3 / 0.08)), 1e-6);
  });

  it('is a plain softmax where fifty ads are eligible', () => {
    const far = Array.from({ length: 49 }, () => 0.16);
    expect(massOf(ranking(0.24, ...far))).to.be.closeTo(1 / (1 + 49 * Math.exp(-1)), 1e-6);
  });
});

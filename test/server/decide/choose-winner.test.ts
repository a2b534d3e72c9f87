import { expect } from 'chai';
import type { Creative } from '../../../models/schema/creative.js';
import { testCreative } from '../../support/test-snapshot.js';
import type { ScoredCandidate } from '../../../server/decide/ranker.js';
import { type Preference, chooseWinner } from '../../../server/decide/choose-winner.js';

const scored = (at: number, relevance: number, score: number): ScoredCandidate => {
  const features = { relevance, advertisable: 0, mass: 1, overlap: 0 };
  return {
    creative: testCreative(String(at)),
    similarity: relevance,
    lexical: 0,
    relevance,
    overlap: 0,
    features,
    score,
  };
};
const placeOf = ({ id }: Creative): number => Number(id);
const ranked = [scored(0, 0.8, 0.9), scored(1, 0.795, 0.89), scored(2, 0.791, 0.5), scored(3, 0.7, 0.8)];
const earning = (...micros: number[]): Preference => ({
  expectedMicros: (creative) => micros[placeOf(creative)] ?? 0,
  isForeign: () => false,
});
const winnerOf = (...given: Parameters<typeof chooseWinner>): number | undefined => {
  const winner = chooseWinner(...given);
  return winner && placeOf(winner.creative);
};

describe('the winner', () => {
  it('is the most relevant ad if no other earns more', () => {
    expect(winnerOf(ranked, 0.6, earning())).to.equal(0);
    expect(winnerOf(ranked, 0.6, earning(5, 5, 5, 5))).to.equal(0);
  });

  it('is the near-tie that earns most', () => {
    expect(winnerOf(ranked, 0.4, earning(1, 2, 3, 9), 0.01)).to.equal(2);
  });

  it('treats an ad exactly at the near-tie distance as a near-tie', () => {
    const apart = [scored(0, 0.75, 0.9), scored(1, 0.5, 0.9)];
    expect(winnerOf(apart, 0.4, earning(1, 2), 0.25)).to.equal(1);
    expect(winnerOf(apart, 0.4, earning(1, 2), 0.249)).to.equal(0);
  });

  it('may have a score equal to the floor', () => {
    expect(winnerOf(ranked, 0.9, earning())).to.equal(0);
    expect(winnerOf(ranked, 0.89, earning(1, 2), 0.01)).to.equal(1);
  });

  it('is never a clearly less relevant ad, whatever it earns', () => {
    expect(winnerOf(ranked, 0.4, earning(0, 0, 0, 1e12), 0.01)).to.equal(0);
  });

  it('is never an ad below the floor, even if no other exists or it earns more', () => {
    expect(winnerOf(ranked, 0.6, earning(1, 2, 3), 0.01)).to.equal(1);
    expect(winnerOf(ranked, 0.95, earning(1, 2, 3), 0.01)).to.equal(undefined);
    expect(winnerOf([], 0, earning())).to.equal(undefined);
  });

  it('is an ad in the conversation’s language if a foreign one is only slightly more relevant', () => {
    const foreign = (...places: number[]): Preference => ({
      expectedMicros: (creative) => [9, 1, 2, 3][placeOf(creative)]!,
      isForeign: (creative) => places.includes(placeOf(creative)),
    });
    const near = [scored(0, 0.8, 0.9), scored(1, 0.78, 0.85), scored(2, 0.776, 0.84), scored(3, 0.6, 0.8)];
    expect(winnerOf(near, 0.5, foreign(0), 0)).to.equal(1);
    expect(winnerOf(near, 0.5, foreign(0), 0.01), 'the own one that earns most').to.equal(2);
    expect(winnerOf(near, 0.86, foreign(0)), 'the own one is below the floor').to.equal(0);
    expect(winnerOf(near, 0.5, foreign(0, 1, 2)), 'the own one is much less relevant').to.equal(0);
    expect(winnerOf(near, 0.5, foreign(1, 2, 3))).to.equal(0);
  });
});

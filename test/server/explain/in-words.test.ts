import { expect } from 'chai';
import type { ExplainedCreative } from '../../../server/explain/explanation.js';
import { languageInWords, needInWords, outcomeOf } from '../../../server/explain/outcome.js';

describe('an explanation in words', () => {
  it('says whether there is a need that an ad could serve', () => {
    expect(needInWords(0.93)).to.equal('one that an ad could serve (93 % likely)');
    expect(needInWords(0.3)).to.equal('perhaps one (30 % likely)');
    expect(needInWords(0.001)).to.equal('none that an ad could serve (0.1 % likely)');
  });

  it('uses the language’s English name', () => {
    expect(languageInWords('de')).to.equal('German (de)');
    expect(languageInWords(null)).to.equal('not detected');
  });
});

describe('the reason for an outcome', () => {
  const creative = (id: string, relevance: number, score: number): ExplainedCreative => {
    const names = { place: 1, id, name: id, advertiser: null, filter: null };
    return { ...names, similarity: relevance, lexical: 0, relevance, mass: 1, overlap: 0, score };
  };
  const [english, german] = [creative('english', 0.8, 0.9), creative('german', 0.79, 0.88)];
  const reasonFor = (winner: ExplainedCreative, foreign: readonly ExplainedCreative[]) =>
    outcomeOf(english, winner, { value: 0.5, from: 'model' }, 2, (each) => foreign.includes(each)).because;

  it('is the language if a near-tie is in the conversation’s language', () => {
    expect(reasonFor(german, [english])).to.include('a near-tie with "english" (english), and is in the language');
  });

  it('is the expected earnings if a near-tie is not about languages', () => {
    expect(reasonFor(german, [])).to.include('and is expected to earn more');
    expect(reasonFor(english, [])).to.include('is the most relevant creative');
  });
});

import { expect } from 'chai';
import type { ScoredCandidate } from '../../../server/decide/ranker.js';
import { languageInWords, needInWords, resultOf } from '../../../server/explain/in-words.js';
import { defaultSettings } from '../../../server/keys/key-file.js';
import { testCreative } from '../../support/test-snapshot.js';

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

describe('the reason for a result', () => {
  const candidate = (id: string, relevance: number, score: number, language?: string): ScoredCandidate => {
    const creative = testCreative(id, language === undefined ? {} : { language });
    const features = { relevance, advertisable: 0, mass: 1, overlap: 0 };
    return { creative, similarity: relevance, lexical: 0, relevance, overlap: 0, features, score };
  };
  const requester = {
    publisher: { ...defaultSettings('Chat'), test: false },
    session: undefined,
    language: 'de',
    now: 0,
  };
  const reasonFor = (winner: ScoredCandidate | undefined, ...eligible: ScoredCandidate[]) =>
    resultOf({ eligible, winner }, { floor: { value: 0.5, from: 'model' }, requester }, 2).because;

  it('is the language if a near-tie is in the conversation’s language', () => {
    const [english, german] = [candidate('english', 0.8, 0.9, 'en'), candidate('german', 0.79, 0.88, 'de')];
    expect(reasonFor(german, english, german)).to.include('near-tie with "Shop english" (english), and is in the lang');
  });

  it('is the expected earnings if a near-tie is not about languages', () => {
    const [best, other] = [candidate('best', 0.8, 0.9), candidate('other', 0.79, 0.88)];
    expect(reasonFor(other, best, other)).to.include('and is expected to earn more');
    expect(reasonFor(best, best, other)).to.include('is the most relevant creative');
  });

  it('is the floor if the best eligible ad is below it, and the filters if there is none', () => {
    expect(reasonFor(undefined, candidate('best', 0.8, 0.4))).to.include(
      'with a probability of 0.400; the floor is 0.500',
    );
    expect(reasonFor(undefined)).to.equal('The filters exclude all 2 creatives for this publisher now.');
  });
});

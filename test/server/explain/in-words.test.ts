import { expect } from 'chai';
import { judgementInWords, languageInWords, needInWords } from '../../../server/explain/outcome.js';

describe('an explanation in words', () => {
  it('says whether there is a need that an ad could serve', () => {
    expect(needInWords(0.93)).to.equal('one that an ad could serve (93 % likely)');
    expect(needInWords(0.3)).to.equal('perhaps one (30 % likely)');
    expect(needInWords(0.001)).to.equal('none that an ad could serve (0.1 % likely)');
  });

  it('calls the language by its English name', () => {
    expect(languageInWords('de')).to.equal('German (de)');
    expect(languageInWords(null)).to.equal('not told by the text');
  });

  it('says what was found when an ad was read beside the conversation', () => {
    expect(judgementInWords(3)).to.equal('right (95 %)');
    expect(judgementInWords(-1)).to.equal('doubtful (27 %)');
    expect(judgementInWords(-4)).to.equal('wrong (1.8 %)');
    expect(judgementInWords(null)).to.equal('not read');
  });
});

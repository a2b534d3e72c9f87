import { expect } from 'chai';
import { newestCharacters } from '../../../models/encoder/newest-characters.js';

describe('what a tokenizer gets of a text', () => {
  it('is its newest end, within the limit however the tokenizer spells it', () => {
    expect(newestCharacters('old and new', 3)).to.equal('new');
    expect(newestCharacters('short', 100)).to.equal('short');
    expect(newestCharacters('\ud83d\udc4d', 1)).to.equal('\ufffd');
    for (const text of ['\ufdfa', '\ufdfb', '\ufdfax']) {
      const end = newestCharacters(text.repeat(1000), 880);
      expect(end.length).to.be.within(870, 880);
      expect(end.normalize('NFKC').length).to.equal(end.length);
    }
  });
});

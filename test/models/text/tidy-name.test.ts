import { expect } from 'chai';
import { tidyName } from '../../../models/text/tidy-name.js';

describe('the name of an advertiser, campaign or category', () => {
  it('has no spaces around it, whatever their kind, and is in NFC', () => {
    expect(tidyName(' \u00a0\u3000Cafe\u0301 Rouge\u2003 ')).to.equal('Caf\u00e9 Rouge');
    expect(tidyName(' \u00a0 ')).to.equal('');
  });

  it('is tidied in linear time, since its length is checked later', () => {
    // A run of spaces within, for which a regular expression would need minutes.
    const name = `a${' '.repeat(1_000_000)}b`;
    expect(tidyName(`${name}  `)).to.equal(name);
  });
});

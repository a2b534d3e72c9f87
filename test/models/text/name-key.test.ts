import { expect } from 'chai';
import { nameKey } from '../../../models/text/name-key.js';

describe('the key of a name', () => {
  it('is the same for spellings that look the same', () => {
    const spellings = [
      'Acme Casino',
      'ACME casino',
      ' Acme  Casino ',
      'Acme\u00a0Casino',
      'Acme\u2009Casino',
      'Acme\u2800Casino',
      'Ac\u200bme Casino',
      'Ac\u00adme Casino',
      'Acme\u200e Casino',
      '\u2066Acme Casino\u2069',
      'Acm\u034fe Casino',
      'Acme\u3164 Casino',
      'Acme Casino\ufe0f',
      '\uff21\uff43\uff4d\uff45 Casino',
    ];
    for (const spelling of spellings) expect(nameKey(spelling), JSON.stringify(spelling)).to.equal('acme casino');
  });

  it('differs for names that differ', () => {
    const names = ['Acme', 'Acme Casino', 'Acme-Casino', 'Acme Casinó', 'Аcme Casino', 'カフェ', 'カフエ', ''];
    expect(new Set(names.map(nameKey)).size).to.equal(names.length);
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
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

  it('is the same for accents in any form, and its own key', () => {
    for (const name of [
      'Ácme',
      'A\u0301cme',
      'A\u034f\u0301cme',
      'A\u200d\u0301cme',
      'A\u00ad\u0301cme',
      'Á\ufffacme',
    ]) {
      expect(nameKey(name), JSON.stringify(name)).to.equal('\u00e1cme');
    }
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (name) => nameKey(nameKey(name)) === nameKey(name)));
  });

  it('differs for names that differ', () => {
    const names = ['Acme', 'Acme Casino', 'Acme-Casino', 'Acme Casinó', 'Аcme Casino', 'カフェ', 'カフエ', ''];
    expect(new Set(names.map(nameKey)).size).to.equal(names.length);
  });
});

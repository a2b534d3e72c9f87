import { expect } from 'chai';
import { canonicalCountry } from '../../../models/text/country-code.js';

describe('the code of a country', () => {
  it('is read in any case, and replaced by the one in force', () => {
    const pairs = { gb: 'GB', UK: 'GB', De: 'DE', DD: 'DE', XK: 'XK', IC: 'IC' };
    for (const [code, country] of Object.entries(pairs)) expect(canonicalCountry(code), code).to.equal(country);
  });

  it('is none for what no reader is in', () => {
    const codes = ['XX', 'ZZ', 'EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'AA', 'T1', '', 'G', 'GBR', 'Gб', '  '];
    for (const code of codes) expect(canonicalCountry(code), code).to.equal(null);
  });
});

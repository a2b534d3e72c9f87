import { expect } from 'chai';
import { databaseCheck } from '../../../server/operation/readiness.js';

describe('readiness of a node', () => {
  it('ends after the database has been silent for ten seconds', () => {
    let silent = 9999;
    const check = databaseCheck({ silentMs: () => silent });
    expect(check.fault()).to.equal(null);
    silent = 12_300;
    expect(check.fault()).to.equal(
      'it has not answered, or what it has could not be copied, for 12 s; the log says why',
    );
  });
});

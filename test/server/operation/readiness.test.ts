import { expect } from 'chai';
import { databaseCheck } from '../../../server/operation/readiness.js';

describe('readiness of a node', () => {
  it('ends after the database has been silent for ten seconds', () => {
    let silent = 9999;
    const check = databaseCheck({ silentMs: () => silent });
    expect(check.fault()).to.equal(null);
    silent = 12_300;
    expect(check.fault()).to.equal('no complete copy of the shared data for 12 s; see the log');
  });
});

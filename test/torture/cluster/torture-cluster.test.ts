import { expect } from 'chai';
import { CLUSTER_FAULT_NAMES } from './fault-names.js';
import { tortureCluster } from './torture-cluster.js';

describe('three tortured nodes on one database', function () {
  // A minute on an idle machine; up to half an hour at low priority on a busy one.
  this.timeout(3_600_000);

  it('agree with the replies that callers got after a round of every kind of fault', async () => {
    const wanted = { nodes: 3, minutes: 0, seed: 1, faults: CLUSTER_FAULT_NAMES, workDir: undefined };
    const tortured = await tortureCluster(wanted, () => undefined);
    expect(tortured.differences, `the data are kept in ${tortured.kept}`).to.deep.equal([]);
    for (const name of CLUSTER_FAULT_NAMES) expect(tortured.faults.get(name), name).to.be.greaterThan(0);
    expect(tortured.starts).to.be.greaterThan(3);
    expect(tortured.promised).to.be.greaterThan(20);
    expect(tortured.micros).to.be.greaterThan(0);
  });
});

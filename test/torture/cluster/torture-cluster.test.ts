import { expect } from 'chai';
import { CLUSTER_FAULT_NAMES } from './fault-names.js';
import { tortureCluster } from './torture-cluster.js';

describe('three nodes on one database that are tortured', function () {
  // A minute where nothing else runs; a machine that is busy with other work, at a low priority, needs half an hour.
  this.timeout(3_600_000);

  it('agree with what callers were told after a round of faults of every kind', async () => {
    const wanted = { nodes: 3, minutes: 0, seed: 1, faults: CLUSTER_FAULT_NAMES, workDir: undefined };
    const tortured = await tortureCluster(wanted, () => undefined);
    expect(tortured.differences, `the data are kept in ${tortured.kept}`).to.deep.equal([]);
    for (const name of CLUSTER_FAULT_NAMES) expect(tortured.faults.get(name), name).to.be.greaterThan(0);
    expect(tortured.starts).to.be.greaterThan(3);
    expect(tortured.promised).to.be.greaterThan(20);
    expect(tortured.micros).to.be.greaterThan(0);
  });
});

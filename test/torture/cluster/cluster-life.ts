import type { Audit } from '../audit/audit.js';
import type { Chance } from '../calls/chance.js';
import type { Traffic } from '../calls/traffic.js';
import { patiently } from '../processes/busy.js';
import type { Errands } from '../processes/errands.js';
import type { ClusterFaultName } from './fault-names.js';
import { runRound } from './round.js';
import { drain, recover } from './settle.js';
import type { StartedCluster } from './started-cluster.js';
import type { Troubles } from './troubles.js';

export interface ClusterLifeOptions {
  readonly cluster: StartedCluster;
  readonly traffic: Traffic;
  readonly errands: Errands;
  readonly audit: Audit;
  readonly troubles: Troubles;
  readonly chance: Chance;
  readonly wanted: readonly ClusterFaultName[];
  /** How often each fault has happened. */
  readonly faults: Map<ClusterFaultName, number>;
  readonly differs: (what: string) => void;
  /** What goes on, for who watches. */
  readonly tell: (what: string) => void;
}

/** Several nodes, from one round of faults to the next. */
export interface ClusterLife {
  /** Until all nodes are ready: at the start, and after a round. */
  recover(): Promise<void>;
  /** Faults while callers call and a command runs; then all is well, a command has to succeed, and the books are compared. */
  round(): Promise<void>;
}

/** So many answers there are in the calm after a round. */
const CALM_ANSWERS = 300;
const ANSWERS_WITHIN_MS = 60_000;

export function createClusterLife(options: ClusterLifeOptions): ClusterLife {
  const { cluster, traffic, errands, audit, troubles, chance, wanted, faults, differs, tell } = options;
  const onFault = (name: ClusterFaultName): void => {
    faults.set(name, faults.get(name)! + 1);
    errands.disturb();
  };
  // Callers would take the time that a node needs to start.
  const recovered = async (): Promise<void> => {
    await traffic.hold();
    await recover(cluster, traffic);
    tell('all nodes are ready');
    traffic.resume();
  };
  return {
    recover: recovered,
    async round() {
      traffic.resume();
      errands.begin();
      await runRound({ cluster, traffic, troubles, chance, faults: wanted, onFault });
      tell('all faults have passed');
      await recovered();
      await errands.finish();
      errands.begin();
      await traffic.answers(CALM_ANSWERS, ANSWERS_WITHIN_MS);
      await errands.finish();
      await drain(audit, traffic);
      for (const difference of await patiently(() => audit.differences(true))) differs(difference);
    },
  };
}

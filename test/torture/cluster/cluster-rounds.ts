import type { Reconciliation } from '../reconciliation/reconciliation.js';
import type { Chance } from '../calls/chance.js';
import type { Traffic } from '../calls/traffic.js';
import { patiently } from '../processes/busy.js';
import type { OperatorCommands } from '../processes/operator-commands.js';
import type { ClusterFaultName } from './fault-names.js';
import { runRound } from './round.js';
import { drain, recover } from './settle.js';
import type { StartedCluster } from './started-cluster.js';
import type { Troubles } from './troubles.js';

export interface ClusterRoundsOptions {
  readonly cluster: StartedCluster;
  readonly traffic: Traffic;
  readonly operatorCommands: OperatorCommands;
  readonly reconciliation: Reconciliation;
  readonly troubles: Troubles;
  readonly chance: Chance;
  readonly wanted: readonly ClusterFaultName[];
  readonly faults: Map<ClusterFaultName, number>;
  readonly differs: (what: string) => void;
  /** Reports progress. */
  readonly log: (what: string) => void;
}

/** Runs several nodes through rounds of faults. */
export interface ClusterRounds {
  /** Resolves once all nodes are ready, at the start or after a round. */
  recover(): Promise<void>;
  /**
   * Runs faults while callers call and a command runs. When all faults have passed, requires a command to succeed, and
   * compares ledger and books.
   */
  round(): Promise<void>;
}

/** How many replies callers get between the faults and the reconciliation. */
const CALM_ANSWERS = 300;
const ANSWERS_WITHIN_MS = 60_000;

export function createClusterRounds(options: ClusterRoundsOptions): ClusterRounds {
  const { cluster, traffic, operatorCommands, reconciliation, troubles, chance, wanted, faults, differs, log } =
    options;
  const onFault = (name: ClusterFaultName): void => {
    faults.set(name, faults.get(name)! + 1);
    operatorCommands.noteFault();
  };
  // Callers are held because they would slow down the start of the nodes.
  const recovered = async (): Promise<void> => {
    await traffic.hold();
    await recover(cluster, traffic);
    log('all nodes are ready');
    traffic.resume();
  };
  return {
    recover: recovered,
    async round() {
      traffic.resume();
      operatorCommands.begin();
      await runRound({ cluster, traffic, troubles, chance, faults: wanted, onFault });
      log('all faults have passed');
      await recovered();
      await operatorCommands.finish();
      operatorCommands.begin();
      await traffic.answers(CALM_ANSWERS, ANSWERS_WITHIN_MS);
      await operatorCommands.finish();
      await drain(reconciliation, traffic);
      for (const difference of await patiently(() => reconciliation.differences(true))) differs(difference);
    },
  };
}

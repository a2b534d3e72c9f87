import { setTimeout as pause } from 'node:timers/promises';
import type { CuttableLink } from '../../support/cuttable-link.js';
import type { Chance } from '../calls/chance.js';
import type { ClusterFaultName } from './fault-names.js';
import type { StartedCluster } from './started-cluster.js';

/** A fault that is about to happen. */
export interface PlannedFault {
  readonly name: ClusterFaultName;
  /** What the fault affects. Faults of the same target run one after the other. */
  readonly target: string;
  /** Runs the fault from its beginning to its end. */
  run(): Promise<void>;
}

/** Draws the target and duration of a fault. All random choices are made here, before anything happens. */
export function planFault(name: ClusterFaultName, cluster: StartedCluster, chance: Chance): PlannedFault {
  const { postgres, nodes, front } = cluster;
  const at = chance.whole(0, nodes.length - 1);
  const node = nodes[at]!;
  const part = chance.between(0, 1);
  const upTo = (mostMs: number, leastMs = 0): number => leastMs + part * (mostMs - leastMs);
  const cut = async (link: CuttableLink, ms: number): Promise<void> => {
    await link.cut();
    await pause(ms);
    await link.mend();
  };
  const faults: Readonly<Record<ClusterFaultName, Omit<PlannedFault, 'name'>>> = {
    kill: { target: `process of ${at}`, run: () => node.kill(upTo(3000)) },
    // Sometimes longer than a writer may be idle within a transaction.
    pause: { target: `pause of ${at}`, run: () => node.pause(upTo(8000, 300)) },
    'database-fast': { target: 'database', run: () => postgres.restart('fast', upTo(2500)) },
    'database-immediate': { target: 'database', run: () => postgres.restart('immediate', upTo(2500)) },
    // Callers reach no node, and requests in flight get no response.
    proxy: { target: 'proxy', run: () => cut(front, upTo(2500, 50)) },
    // A node loses its database connection and is notified.
    link: { target: `link of ${at}`, run: () => cut(node.link, upTo(6000, 100)) },
    // The network drops all traffic between a node and its database without an error, sometimes longer than a node
    // waits.
    'dark-link': {
      target: `link of ${at}`,
      async run() {
        node.link.dropPackets();
        await pause(upTo(17_000, 500));
        await node.link.mend();
      },
    },
  };
  return { name, ...faults[name] };
}

import { LARGE_FROM } from '../../models/snapshot/layout.js';
import { waitQuantile } from './erlang.js';
import type { Inputs, UnitCosts, Workload } from './inputs.js';

/** The work of one match in the busiest minute, processor milliseconds. */
export interface MatchWork {
  /** On the event loop, including its beacons. */
  readonly loop: number;
  readonly encoder: number;
  /** In the ledger's threads, for its beacons. */
  readonly threads: number;
  /** Beacons, views and clicks of a match. */
  readonly events: number;
}

export interface NodePlan {
  /** Encoder threads of a node; one core is left for the event loop and the ledger's threads. */
  readonly workers: number;
  /** Matches per second that one node serves within the bounds below. */
  readonly capacity: number;
  /** The bound that is reached first. */
  readonly boundBy: 'encoders' | 'event loop' | 'ledger thread';
  /** Without the spare ones. */
  readonly nodes: number;
  readonly spare: number;
  readonly memoryBytes: number;
}

/**
 * 99 of 100 matches in a burst wait at most this long for an encoder, milliseconds. The server refuses matches with an
 * expected wait of 400 ms.
 */
const WAIT_MS = 150;
/** Shares of one core: a busier event loop delays everything. */
const LOOP_SHARE = 0.6;
const THREAD_SHARE = 0.6;
/** One node in this many may be lost, or stopped for an upgrade. */
const ONE_SPARE_IN = 20;

export function matchWork(costs: UnitCosts, workload: Workload): MatchWork {
  const { fillRate, impressionRate, viewRate, clickRate } = workload;
  const mixed = (kind: 'loop' | 'encoder') =>
    sharesOf(workload).reduce((sum, [match, share]) => sum + share * costs[match][kind], 0);
  const events = fillRate * impressionRate * (1 + viewRate + clickRate);
  return {
    loop: mixed('loop') + searchTime(costs, workload.creatives) + events * costs.eventLoop,
    encoder: mixed('encoder'),
    threads: events * costs.eventThreads,
    events,
  };
}

/**
 * Returns the event loop's milliseconds for a search, in addition to the search among a few hundred creatives that is
 * part of the measured match.
 */
export function searchTime({ search, searchGrowth, largeSearch }: UnitCosts, creatives: number): number {
  if (creatives >= LARGE_FROM) return largeSearch;
  const [small, large] = [4000, 100_000];
  return creatives <= 500 ? 0 : search * searchGrowth ** (Math.log(creatives / small) / Math.log(large / small));
}

/** Returns the kinds of matches and their shares. */
export function sharesOf({ openingShare, unknownShare }: Workload) {
  return [
    ['opening', openingShare],
    ['unknown', unknownShare],
    ['remembered', 1 - openingShare - unknownShare],
  ] as const;
}

export function planNodes({ costs, machines }: Pick<Inputs, 'costs' | 'machines'>, workload: Workload): NodePlan {
  const workers = Math.max(1, machines.node.cores - 1);
  const work = matchWork(costs, workload);
  const bounds = [
    { by: 'encoders', rate: encoderRate(workers, work.encoder) },
    { by: 'event loop', rate: (1000 * LOOP_SHARE) / work.loop },
    { by: 'ledger thread', rate: (1000 * THREAD_SHARE) / work.threads },
  ] as const;
  const { by: boundBy, rate } = bounds.reduce((least, each) => (each.rate < least.rate ? each : least));
  const capacity = rate / workload.burstFactor;
  const nodes = Math.ceil(workload.matchesASecond / capacity);
  // The current snapshot serves while the next one loads.
  const catalogues = 2 * workload.creatives * costs.creativeMemoryBytes;
  const memoryBytes = costs.nodeBytes + (workers - 1) * costs.workerBytes + catalogues;
  return { workers, capacity, boundBy, nodes, spare: Math.ceil(nodes / ONE_SPARE_IN), memoryBytes };
}

/** Returns the highest rate of matches per second at which the p99 wait of an M/M/c queue stays within its bound. */
function encoderRate(workers: number, encoder: number): number {
  let [low, high] = [0, (1000 * workers) / encoder];
  for (let halving = 0; halving < 50; halving++) {
    const rate = (low + high) / 2;
    if (waitQuantile(workers, (rate * encoder) / 1000, encoder, 0.99) <= WAIT_MS) low = rate;
    else high = rate;
  }
  return low;
}

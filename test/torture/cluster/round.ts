import type { Chance } from '../calls/chance.js';
import type { Traffic } from '../calls/traffic.js';
import { planFault } from './cluster-faults.js';
import type { ClusterFaultName } from './fault-names.js';
import type { StartedCluster } from './started-cluster.js';
import type { Troubles } from './troubles.js';

export interface RoundOptions {
  readonly cluster: StartedCluster;
  readonly traffic: Traffic;
  readonly troubles: Troubles;
  readonly chance: Chance;
  readonly faults: readonly ClusterFaultName[];
  /** Called when a fault begins. */
  readonly onFault: (name: ClusterFaultName) => void;
}

/** How many faults are added to one of each kind. */
const MORE = 3;
const ANSWERS_WITHIN_MS = 4000;

/**
 * Runs each kind of fault once and some repeatedly, in random order and some of them concurrently, while callers call.
 * Resolves once all have passed. Which faults happen depends on the seed alone, not on time; when they happen depends
 * on how fast callers get replies.
 */
export async function runRound({ cluster, traffic, troubles, chance, faults, onFault }: RoundOptions): Promise<void> {
  const turns = new Map<string, Promise<void>>();
  const begin = (name: ClusterFaultName): void => {
    const { target, run } = planFault(name, cluster, chance);
    const before = turns.get(target) ?? Promise.resolve();
    const turn = before.then(() => {
      onFault(name);
      return troubles.during(run);
    });
    turns.set(target, turn);
    // The error is reported at the end, with all others.
    turn.catch(() => undefined);
  };
  for (const name of shuffled(faults, chance)) {
    await traffic.answers(chance.whole(0, 120), ANSWERS_WITHIN_MS);
    begin(name);
  }
  await Promise.all(turns.values());
}

function shuffled(faults: readonly ClusterFaultName[], chance: Chance): ClusterFaultName[] {
  const more = faults.length === 0 ? [] : Array.from({ length: MORE }, () => chance.oneOf(faults));
  return [...faults, ...more]
    .map((name) => ({ name, sortKey: chance.between(0, 1) }))
    .toSorted((one, other) => one.sortKey - other.sortKey)
    .map(({ name }) => name);
}

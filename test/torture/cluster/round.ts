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
  /** A fault begins. */
  readonly onFault: (name: ClusterFaultName) => void;
}

/** Besides one of each kind. */
const MORE = 3;
const ANSWERS_WITHIN_MS = 4000;

/**
 * Each kind of fault once and some twice, in any order, while callers call; several stand at once. Resolves once all have
 * passed. What happens depends on chance alone, not on time: a fault finds its target free, or is left out.
 */
export async function runRound({ cluster, traffic, troubles, chance, faults, onFault }: RoundOptions): Promise<void> {
  const standing = new Set<string>();
  const begin = async (name: ClusterFaultName): Promise<void> => {
    const { target, run } = planFault(name, cluster, chance);
    if (standing.has(target)) return;
    standing.add(target);
    onFault(name);
    await troubles.during(run);
    standing.delete(target);
  };
  const all: Promise<void>[] = [];
  for (const name of shuffled(faults, chance)) {
    await traffic.answers(chance.whole(0, 120), ANSWERS_WITHIN_MS);
    all.push(begin(name));
  }
  await Promise.all(all);
}

function shuffled(faults: readonly ClusterFaultName[], chance: Chance): ClusterFaultName[] {
  const more = faults.length === 0 ? [] : Array.from({ length: MORE }, () => chance.oneOf(faults));
  return [...faults, ...more]
    .map((name) => ({ name, place: chance.between(0, 1) }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ name }) => name);
}

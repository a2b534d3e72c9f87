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
 * passed. What happens depends on chance alone, not on time; when, on how fast callers are answered.
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
    // Heard of at the end, with all others.
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
    .map((name) => ({ name, place: chance.between(0, 1) }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ name }) => name);
}

import type { Inputs } from './inputs.js';
import type { InstallationPlan } from './limits.js';
import { SHARING_SERVERS } from './database-plan.js';
import { matchWork, searchTime, sharesOf } from './node-plan.js';
import { type DatabaseResult, simulateDatabase } from './simulation/database-simulation.js';
import { type NodeResult, simulateNode } from './simulation/node-simulation.js';

const NODE_SECONDS = 240;
const DATABASE_SECONDS = 10;
/** With more nodes than this, ten seconds take long to simulate. */
const MANY = 200;
const MANY_SECONDS = 2;

type Model = Pick<Inputs, 'costs' | 'machines'>;

/** Simulates one of an installation's nodes, without spare ones, if there were `times` as many as planned. */
export function simulatePlannedNode({ costs }: Model, plan: InstallationPlan, times: number, seed = 1): NodeResult {
  const { workload, nodes } = plan;
  const { events } = matchWork(costs, workload);
  const search = searchTime(costs, workload.creatives);
  return simulateNode({
    workers: nodes.workers,
    matchesASecond: workload.matchesASecond / (nodes.nodes * times),
    burstFactor: workload.burstFactor,
    burstSeconds: workload.burstSeconds,
    kinds: sharesOf(workload).map(([kind, share]) => {
      const cost = costs[kind];
      return { ...cost, share, loop: cost.loop + search };
    }),
    events,
    eventLoop: costs.eventLoop,
    seconds: NODE_SECONDS,
    seed,
  });
}

/**
 * Simulates the database of an installation in a burst, with this many cores.
 *
 * @param deletes whether a pruning walk begins in this time
 */
export function simulatePlannedDatabase(
  { costs, machines }: Model,
  plan: InstallationPlan,
  cores: number,
  deletes = true,
  seed = 1,
): DatabaseResult {
  const { workload, nodes, database } = plan;
  const all = nodes.nodes + nodes.spare;
  // The work for decisions and idle polling has no batch of its own here, so it is spread over the batches.
  const beside = (workload.matchesASecond * workload.burstFactor * costs.decision + all * costs.idleNode) / 1000;
  const perBatch = (1000 * beside) / database.batchesASecond;
  return simulateDatabase({
    nodes: all,
    cores,
    eventsASecond: database.eventsASecond,
    roundTrip: machines.roundTrip,
    batch: costs.batch + perBatch,
    event: costs.event,
    sync: costs.sync,
    campaigns: workload.campaigns,
    budgetShare: workload.budgetShare,
    sharingServers: SHARING_SERVERS,
    pruneStep: deletes ? costs.pruneStep : 0,
    seconds: all > MANY ? MANY_SECONDS : DATABASE_SECONDS,
    seed,
  });
}

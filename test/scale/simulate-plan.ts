import type { Inputs } from './inputs.js';
import type { InstallationPlan } from './limits.js';
import { SHARING_SERVERS } from './database-plan.js';
import { matchWork, searchTime, sharesOf } from './node-plan.js';
import { type DatabaseResult, simulateDatabase } from './simulation/database-simulation.js';
import { type NodeResult, simulateNode } from './simulation/node-simulation.js';

const NODE_SECONDS = 240;
const DATABASE_SECONDS = 10;
/** With so many nodes that ten take long. */
const MANY = 200;
const MANY_SECONDS = 2;

type Model = Pick<Inputs, 'costs' | 'machines'>;

/** One node of an installation, of which there are so many times the planned ones, without the spare. */
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

/** The database of an installation in a burst, with some cores. @param deletes whether old events are deleted meanwhile */
export function simulatePlannedDatabase(
  { costs, machines }: Model,
  plan: InstallationPlan,
  cores: number,
  deletes = true,
  seed = 1,
): DatabaseResult {
  const { workload, nodes, database } = plan;
  const all = nodes.nodes + nodes.spare;
  // What decisions and looks take besides is work without a batch of its own: a batch has its part.
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

import type { Inputs, Workload } from './inputs.js';
import { matchWork } from './node-plan.js';
import { sumRowsADay } from './sums.js';

/** The load of one PostgreSQL in the busiest minute, and its storage after a year. */
export interface DatabasePlan {
  readonly eventsASecond: number;
  readonly batchesASecond: number;
  readonly coresBusy: number;
  readonly logBytesASecond: number;
  readonly connections: number;
  /** The longest wait of a beacon if every node's batches have exclusive locks on hot accounts, milliseconds. */
  readonly lockedWait: number;
  /** Mean events a second over a day, to be compared with `PRUNED_A_SECOND`. */
  readonly meanEventsASecond: number;
  readonly diskBytes: number;
}

/**
 * `SLICE` of server/ledger/retention.ts: the events that a step checks, and deletes if they are old. One node prunes
 * for all, and runs a step every second, so more nodes do not delete faster.
 */
export const PRUNED_A_SECOND = 5000;
/** `MAX_AT_ONCE` of server/ledger/postgres/budget-locks.ts. */
export const SHARING_SERVERS = 16;
const DAY = 86_400;

export function planDatabase(
  inputs: Pick<Inputs, 'costs' | 'machines'>,
  workload: Workload,
  nodes: number,
): DatabasePlan {
  const { costs, machines } = inputs;
  const { matchesASecond: matches, burstFactor, peakFactor, retentionDays } = workload;
  const { events } = matchWork(costs, workload);
  const eventsASecond = matches * burstFactor * events;
  const hold = (size: number) => costs.batch + size * costs.event + costs.sync + machines.roundTrip;
  const each = eventsASecond / nodes / 1000;
  const rate = batches(each, (size) => hold(size) + machines.roundTrip);
  const batchesASecond = nodes * (1000 * rate + 1);
  const decisions = matches * burstFactor;
  const busy = batchesASecond * costs.batch + eventsASecond * costs.event + decisions * costs.decision;
  const meanEventsASecond = (matches / peakFactor) * events;
  return {
    eventsASecond,
    batchesASecond,
    coresBusy: (busy + nodes * costs.idleNode + costs.pruneStep) / 1000,
    logBytesASecond:
      batchesASecond * costs.batchLogBytes + eventsASecond * costs.eventLogBytes + decisions * costs.decisionLogBytes,
    connections: nodes * costs.connections + machines.database.reservedConnections,
    lockedWait:
      workload.budgetShare > 0 && nodes > SHARING_SERVERS ? inTurn(nodes, hold(0), eventsASecond * costs.event) : 0,
    meanEventsASecond,
    diskBytes: storage(inputs, workload, nodes, meanEventsASecond, retentionDays),
  };
}

/**
 * Returns the batch rate of a node that has events: one batch is in progress and contains the events that arrived
 * during the previous one.
 *
 * @param each events per millisecond and node
 * @returns batches per millisecond and node
 */
function batches(each: number, takes: (size: number) => number): number {
  let size = 1;
  for (let round = 0; round < 50; round++) size = Math.min(5000, Math.max(1, each * takes(size)));
  const took = takes(size);
  // If no event arrived meanwhile, the next batch begins with the next event.
  return 1 / (took + Math.exp(-each * took) / each);
}

/**
 * Returns the wait for batches that exclude each other: each node waits for all others, and batches grow with the wait.
 *
 * @param busy processing time of the events, in milliseconds per second
 */
function inTurn(nodes: number, hold: number, busy: number): number {
  return busy >= 1000 ? Infinity : (nodes * hold) / (1 - busy / 1000);
}

function storage(
  { costs }: Pick<Inputs, 'costs'>,
  workload: Workload,
  nodes: number,
  eventsASecond: number,
  retentionDays: number,
): number {
  const keptDays = Math.min(365, retentionDays / Math.max(1e-9, 1 - eventsASecond / PRUNED_A_SECOND));
  const rows = sumRowsADay(workload, nodes, (workload.matchesASecond / workload.peakFactor) * DAY);
  const events = eventsASecond * DAY * keptDays * costs.eventRowBytes;
  return events + (rows.aDay * 365 + rows.minutesADay * keptDays) * costs.sumRowBytes;
}

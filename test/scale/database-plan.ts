import type { Inputs, Workload } from './inputs.js';
import { matchWork } from './node-plan.js';
import { sumRowsADay } from './sums.js';

/** What one PostgreSQL has to do in the busiest minute, and to hold after a year. */
export interface DatabasePlan {
  readonly eventsASecond: number;
  readonly batchesASecond: number;
  readonly coresBusy: number;
  readonly logBytesASecond: number;
  readonly connections: number;
  /** How long a beacon waits at most where every node's batches have hot accounts alone, milliseconds. */
  readonly lockedWait: number;
  /** Share of the time in which nobody counts, since old events are deleted. */
  readonly pruningShare: number;
  /** Mean events a second of a day, beside how many a second are looked through to delete old ones. */
  readonly meanEventsASecond: number;
  readonly diskBytes: number;
}

/** `SLICE` of server/ledger/retention.ts, which takes a step a second. */
export const PRUNED_A_SECOND = 5000;
/** `MOST_AT_ONCE` of server/ledger/postgres/budget-locks.ts. */
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
    coresBusy: (busy + nodes * costs.idleNode) / 1000,
    logBytesASecond:
      batchesASecond * costs.batchLogBytes + eventsASecond * costs.eventLogBytes + decisions * costs.decisionLogBytes,
    connections: nodes * costs.connections + machines.database.reservedConnections,
    lockedWait:
      workload.budgetShare > 0 && nodes > SHARING_SERVERS ? inTurn(nodes, hold(0), eventsASecond * costs.event) : 0,
    // Each node's own step: it waits until all others' batches have ended, and then has the ledger alone.
    pruningShare: Math.min(1, (nodes * (costs.pruneStep + hold(each * 10))) / 1000),
    meanEventsASecond,
    diskBytes: storage(inputs, workload, nodes, meanEventsASecond, retentionDays),
  };
}

/**
 * A node that has events has one batch under way, with those that came during the one before.
 *
 * @param each events a millisecond of a node
 * @returns batches a millisecond of a node
 */
function batches(each: number, takes: (size: number) => number): number {
  let size = 1;
  for (let round = 0; round < 50; round++) size = Math.min(5000, Math.max(1, each * takes(size)));
  const took = takes(size);
  // Where none came meanwhile, the next batch begins with the next event.
  return 1 / (took + Math.exp(-each * took) / each);
}

/**
 * Batches that exclude each other: each node waits for all others', and batches grow with the wait.
 *
 * @param busy share of a second that the events themselves take, in milliseconds
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

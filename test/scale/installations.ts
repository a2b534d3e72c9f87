import type { Inputs, Workload } from './inputs.js';
import { holdsUntil, type InstallationPlan, planInstallation } from './limits.js';

/** A workload on as many installations as it needs, each with its own database and a share of the publishers. */
export interface ScalePlan {
  readonly workload: Workload;
  /** Everything in one installation. */
  readonly one: InstallationPlan;
  /** Its limits, each with the matches per second up to which it holds, lowest first. */
  readonly breaks: readonly { readonly name: string; readonly until: number; readonly remedy: string }[];
  /** The number of installations, and the plan of each. */
  readonly installations: number;
  readonly each: InstallationPlan;
  readonly totals: Totals;
}

/** Totals of all installations. */
export interface Totals {
  readonly nodes: number;
  readonly nodeCores: number;
  readonly memoryBytes: number;
  readonly databaseCores: number;
  readonly diskBytes: number;
  /** Bits per second from the nodes to clients, in the busiest minute. */
  readonly trafficBitsASecond: number;
  /** In the currency of the prices: for 730 hours, and for a million matches. */
  readonly aMonth: number;
  readonly aMillion: number;
  readonly parts: Readonly<Record<'nodes' | 'databases' | 'disks' | 'traffic', number>>;
}

/** Maximum utilization of an installation, because the model is not exact. */
const FILLED = 0.8;
const HOURS = 730;
const DATABASE_SHARE = 0.6;
const FEWEST_DATABASE_CORES = 2;
/** A common ratio for databases. */
const MEMORY_A_CORE = 8e9;

export function planScale(inputs: Inputs, workload: Workload): ScalePlan {
  const one = planInstallation(inputs, workload);
  const breaks = one.limits
    .filter(({ byCatalogue }) => !byCatalogue)
    .map(({ name, remedy }) => ({ name, remedy, until: holdsUntil(inputs, workload, name) }))
    .toSorted((first, second) => first.until - second.until);
  // Raising a setting comes before splitting an installation.
  const most = Math.min(...breaks.filter(({ name }) => name !== 'connections').map(({ until }) => until));
  const installations = Math.max(
    1,
    Math.ceil(workload.matchesASecond / most <= 1 ? 1 : workload.matchesASecond / (FILLED * most)),
  );
  const share = (all: number): number => Math.max(1, Math.ceil(all / installations));
  const each = planInstallation(inputs, {
    ...workload,
    matchesASecond: workload.matchesASecond / installations,
    publishers: share(workload.publishers),
  });
  return { workload, one, breaks, installations, each, totals: totals(inputs, workload, each, installations) };
}

function totals(
  { costs, machines }: Inputs,
  workload: Workload,
  each: InstallationPlan,
  installations: number,
): Totals {
  const { prices, node } = machines;
  const nodes = installations * (each.nodes.nodes + each.nodes.spare);
  const databaseCores =
    installations * Math.max(FEWEST_DATABASE_CORES, Math.ceil(each.database.coresBusy / DATABASE_SHARE));
  const diskBytes = installations * each.database.diskBytes;
  const out = answerBytes(costs, workload);
  const matchesAMonth = (workload.matchesASecond / workload.peakFactor) * HOURS * 3600;
  const cores = nodes * node.cores;
  const memoryBytes = nodes * node.memoryBytes;
  const rent = (coresRented: number, memory: number): number =>
    HOURS * (coresRented * prices.coreHour + (memory / 1e9) * prices.memoryGbHour);
  const parts = {
    nodes: rent(cores, memoryBytes),
    // Each has a standby.
    databases: 2 * rent(databaseCores, databaseCores * MEMORY_A_CORE),
    disks: 2 * (diskBytes / 1e9) * prices.diskGbMonth,
    traffic: ((matchesAMonth * out) / 1e9) * prices.trafficGb,
  };
  const aMonth = Object.values(parts).reduce((sum, part) => sum + part, 0);
  return {
    nodes,
    nodeCores: cores,
    memoryBytes,
    databaseCores,
    diskBytes,
    trafficBitsASecond: 8 * workload.matchesASecond * workload.burstFactor * out,
    aMonth,
    aMillion: (1e6 * aMonth) / matchesAMonth,
    parts,
  };
}

/** Returns the bytes sent for a match, including the responses to its beacons. */
function answerBytes(costs: Inputs['costs'], workload: Workload): number {
  const { fillRate, impressionRate, viewRate, clickRate } = workload;
  const events = fillRate * impressionRate * (1 + viewRate + clickRate);
  return fillRate * costs.filledBytes + (1 - fillRate) * costs.noFillBytes + events * costs.beaconBytes;
}

import { type DatabasePlan, planDatabase, PRUNED_A_SECOND } from './database-plan.js';
import type { Inputs, Workload } from './inputs.js';
import { type NodePlan, planNodes } from './node-plan.js';

/** A limit of an installation, exceeded if `use` is above 1. */
export interface Limit {
  readonly name: string;
  /** Used share of what is available. */
  readonly use: number;
  /** As text, with units. */
  readonly figures: string;
  /** What to change when the limit is reached. */
  readonly remedy: string;
  /** Whether more creatives, rather than more matches, reach the limit. */
  readonly byCatalogue: boolean;
}

/** The plan of one installation: its nodes and its database. */
export interface InstallationPlan {
  readonly workload: Workload;
  readonly nodes: NodePlan;
  readonly database: DatabasePlan;
  /** The most used first. */
  readonly limits: readonly Limit[];
}

/** How long a beacon may wait for the ledger. */
const WAIT_MS = 1000;
const CORES_SHARE = 0.6;
/** Time in which all nodes must fetch a new snapshot from the database. */
const FETCH_SECONDS = 600;
const MEMORY_SHARE = 0.8;

type Model = Pick<Inputs, 'costs' | 'machines'>;

export function planInstallation(inputs: Model, workload: Workload): InstallationPlan {
  const nodes = planNodes(inputs, workload);
  const all = nodes.nodes + nodes.spare;
  const database = planDatabase(inputs, workload, all);
  const limits = limitsOf(inputs, workload, nodes, database).toSorted((one, other) => other.use - one.use);
  return { workload, nodes, database, limits };
}

function limitsOf({ costs, machines }: Model, workload: Workload, nodes: NodePlan, database: DatabasePlan): Limit[] {
  const all = nodes.nodes + nodes.spare;
  const limit = (
    name: string,
    used: number,
    most: number,
    unit: string,
    remedy: string,
    byCatalogue = false,
  ): Limit => {
    return { name, use: used / most, figures: `${rounded(used)} of ${rounded(most)} ${unit}`, remedy, byCatalogue };
  };
  const server = machines.database;
  return [
    limit(
      'connections',
      database.connections,
      server.maxConnections,
      '(max_connections)',
      'raise max_connections: a setting and some memory',
    ),
    limit(
      'budgets locked one at a time',
      database.lockedWait,
      WAIT_MS,
      'ms a beacon waits',
      'no more than 16 nodes for a database, or slices of a budget leased to nodes',
    ),
    limit(
      'pruning rate',
      database.meanEventsASecond,
      PRUNED_A_SECOND,
      'events a second',
      'partitions of events by day, dropped whole',
    ),
    limit(
      'cores of the database',
      database.coresBusy,
      CORES_SHARE * server.cores,
      'cores',
      'several databases: installations of their own, or a ledger split by account',
    ),
    limit(
      'log of the database',
      database.logBytesASecond / 1e6,
      server.logBytesASecond / 1e6,
      'MB a second',
      'sums that are written every second instead of with each event',
    ),
    limit(
      'disk of the database after a year',
      database.diskBytes / 1e12,
      server.diskBytes / 1e12,
      'TB',
      'sums of all nodes in one row once their period is over, raw events for fewer days',
    ),
    limit(
      'a new snapshot to all nodes',
      (all * workload.creatives * costs.creativeBytes) / server.networkBytesASecond,
      FETCH_SECONDS,
      's',
      'snapshots in an object store instead of the database (not built); only what changed',
    ),
    limit(
      'memory of a node',
      nodes.memoryBytes / 1e9,
      (MEMORY_SHARE * machines.node.memoryBytes) / 1e9,
      'GB',
      'SEARCH=pgvector, vectors of 8 bits, or mapped files',
      true,
    ),
  ];
}

const rounded = (value: number): string =>
  Number.isFinite(value) ? Number(value.toPrecision(2)).toLocaleString('en', { maximumFractionDigits: 2 }) : '∞';

/**
 * Returns the matches per second up to which one installation stays within a limit, everything else as in the workload.
 *
 * @returns Infinity if no number of matches reaches the limit
 */
export function holdsUntil(inputs: Model, workload: Workload, name: string): number {
  const isWithin = (matchesASecond: number): boolean => {
    const { limits } = planInstallation(inputs, { ...workload, matchesASecond });
    return limits.find((limit) => limit.name === name)!.use <= 1;
  };
  const MOST = 1e9;
  if (isWithin(MOST)) return Infinity;
  let [low, high] = [0, MOST];
  // To three digits.
  while (high - low > Math.max(1, low / 1000)) {
    const middle = low < 1 ? Math.sqrt(high) : Math.sqrt(low * high);
    if (isWithin(middle)) low = middle;
    else high = middle;
  }
  return low;
}

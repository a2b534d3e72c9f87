/** Where a figure is from. */
export interface Origin {
  /** The command that prints it, or the document that states it. */
  readonly from: string;
  readonly machine: string;
  /** Year-month-day. */
  readonly date: string;
}

/** What one of each thing costs. Times are processor milliseconds unless they say otherwise, sizes bytes. */
export interface UnitCosts {
  /** A conversation of mostly one turn; one of three turns that the node has not read before, or remembers but for the last. */
  readonly opening: MatchCost;
  readonly unknown: MatchCost;
  readonly remembered: MatchCost;
  /** Of answers, over the network without TLS. */
  readonly filledBytes: number;
  readonly noFillBytes: number;
  readonly beaconBytes: number;
  /** A beacon, view or click on the event loop of a node, and in its ledger's threads. */
  readonly eventLoop: number;
  readonly eventThreads: number;
  /** A node with one encoder thread; and each further one. */
  readonly nodeBytes: number;
  readonly workerBytes: number;
  readonly connections: number;
  /** PostgreSQL: a node that nobody asks anything, for each second. */
  readonly idleNode: number;
  /** PostgreSQL: a batch, each event in it, and a decision. */
  readonly batch: number;
  readonly event: number;
  readonly decision: number;
  readonly batchLogBytes: number;
  readonly eventLogBytes: number;
  readonly decisionLogBytes: number;
  /** By the clock: until the log is on the disk; and a step of deleting old events, in which nobody counts. */
  readonly sync: number;
  readonly pruneStep: number;
  /** In the table, with indexes. */
  readonly eventRowBytes: number;
  readonly sumRowBytes: number;
  /** A creative in a snapshot, and in a server's memory. */
  readonly creativeBytes: number;
  readonly creativeMemoryBytes: number;
  /** A search by the graph among 4,000 creatives, on the event loop; and how many times as long it takes among 100,000. */
  readonly search: number;
  readonly searchGrowth: number;
  /** The same in a large catalogue, which is searched in a thread of its own. */
  readonly largeSearch: number;
}

export interface MatchCost {
  readonly loop: number;
  readonly encoder: number;
  /** 5th, 15th … 95th percentile of `encoder`. */
  readonly encoderQuantiles: readonly number[];
}

export interface Workload {
  readonly name: string;
  /** In the busiest minute; Poisson, and for `burstSeconds` now and then `burstFactor` times as many. */
  readonly matchesASecond: number;
  readonly burstFactor: number;
  readonly burstSeconds: number;
  /** The busiest minute over the mean of a day. */
  readonly peakFactor: number;
  /** Of matches: a conversation's first turn; later ones that the node does not remember; those with an ad … */
  readonly openingShare: number;
  readonly unknownShare: number;
  readonly fillRate: number;
  /** … of ads, those shown; of those shown, seen and clicked. */
  readonly impressionRate: number;
  readonly viewRate: number;
  readonly clickRate: number;
  readonly publishers: number;
  readonly creatives: number;
  readonly campaigns: number;
  /** Share of campaigns, and so of events, with a budget. */
  readonly budgetShare: number;
  readonly retentionDays: number;
}

/** What is rented, and for how much: assumptions, which whoever reads replaces. */
export interface Machines {
  readonly node: { readonly cores: number; readonly memoryBytes: number };
  readonly database: {
    /** The largest to be had. */
    readonly cores: number;
    readonly diskBytes: number;
    readonly logBytesASecond: number;
    readonly networkBytesASecond: number;
    /** PostgreSQL's setting of that name, and the connections that it keeps back. */
    readonly maxConnections: number;
    readonly reservedConnections: number;
  };
  /** A round trip between a node and the database, milliseconds. */
  readonly roundTrip: number;
  readonly prices: {
    readonly currency: string;
    readonly coreHour: number;
    readonly memoryGbHour: number;
    readonly diskGbMonth: number;
    readonly trafficGb: number;
  };
}

export interface Inputs {
  readonly costs: UnitCosts;
  readonly machines: Machines;
  readonly workloads: readonly Workload[];
}

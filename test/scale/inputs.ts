/** The source of a figure. */
export interface Origin {
  /** The command that prints it, or the document that states it. */
  readonly from: string;
  readonly machine: string;
  /** Year-month-day. */
  readonly date: string;
}

/** Unit costs. Times are processor milliseconds unless stated otherwise, sizes are bytes. */
export interface UnitCosts {
  /**
   * A match of a conversation that mostly has one turn; of three turns that are new to the node; of three turns of
   * which the node remembers all but the last.
   */
  readonly opening: MatchCost;
  readonly unknown: MatchCost;
  readonly remembered: MatchCost;
  /** Response sizes over the network without TLS. */
  readonly filledBytes: number;
  readonly noFillBytes: number;
  readonly beaconBytes: number;
  /** Processing of a beacon, view or click on a node's event loop, and in its ledger's threads. */
  readonly eventLoop: number;
  readonly eventThreads: number;
  /** Memory of a node with one encoder thread, and of each further thread. */
  readonly nodeBytes: number;
  readonly workerBytes: number;
  readonly connections: number;
  /** PostgreSQL's work for an idle node, per second. */
  readonly idleNode: number;
  /** PostgreSQL's work for a batch, for each event in it, and for a decision. */
  readonly batch: number;
  readonly event: number;
  readonly decision: number;
  readonly batchLogBytes: number;
  readonly eventLogBytes: number;
  readonly decisionLogBytes: number;
  /** Elapsed time until the log is on disk. */
  readonly sync: number;
  /** PostgreSQL's work for a step of a pruning walk, in which no event is old enough to be deleted. */
  readonly pruneStep: number;
  /** In the table, with indexes. */
  readonly eventRowBytes: number;
  readonly sumRowBytes: number;
  /** A creative in a snapshot, and in a server's memory. */
  readonly creativeBytes: number;
  readonly creativeMemoryBytes: number;
  /** A graph search among 4,000 creatives on the event loop, and how many times longer it takes among 100,000. */
  readonly search: number;
  readonly searchGrowth: number;
  /** The event loop's part of a search in a large catalogue, which runs in a separate thread. */
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
  /**
   * In the busiest minute. Poisson arrivals, with occasional bursts of `burstFactor` times the rate for `burstSeconds`.
   */
  readonly matchesASecond: number;
  readonly burstFactor: number;
  readonly burstSeconds: number;
  /** Rate of the busiest minute divided by the daily mean. */
  readonly peakFactor: number;
  /** Shares of matches: first turns of a conversation, later turns that the node does not remember, and fills. */
  readonly openingShare: number;
  readonly unknownShare: number;
  readonly fillRate: number;
  /** Share of ads that are shown; shares of shown ads that are viewed and clicked. */
  readonly impressionRate: number;
  readonly viewRate: number;
  readonly clickRate: number;
  readonly publishers: number;
  readonly creatives: number;
  readonly campaigns: number;
  /** Share of campaigns, and therefore of events, with a budget. */
  readonly budgetShare: number;
  readonly retentionDays: number;
}

/** Rented machines and their prices: assumptions to be replaced by your own. */
export interface Machines {
  readonly node: { readonly cores: number; readonly memoryBytes: number };
  readonly database: {
    /** The largest available. */
    readonly cores: number;
    readonly diskBytes: number;
    readonly logBytesASecond: number;
    readonly networkBytesASecond: number;
    /** PostgreSQL's `max_connections`, and the connections that it reserves. */
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

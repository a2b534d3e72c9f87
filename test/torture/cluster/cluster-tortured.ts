import type { Outcome } from '../audit/outcome.js';
import type { ClusterFaultName } from './fault-names.js';

/** What is wanted of a run of several nodes. */
export interface ClusterArguments {
  readonly nodes: number;
  /** The last round of faults begins before these are over; one there is at least. */
  readonly minutes: number;
  readonly seed: number;
  readonly faults: readonly ClusterFaultName[];
  /** Undefined: the system's temporary directory. */
  readonly workDir: string | undefined;
}

/** What came of it. */
export interface ClusterTortured extends Outcome {
  readonly nodes: number;
  readonly seed: number;
  readonly minutes: number;
  readonly rounds: number;
  /** Of all nodes, the first ones too. */
  readonly starts: number;
  /** Events of which a caller was told beyond doubt that they count. */
  readonly promised: number;
  /** Events stored that found no room in a budget. */
  readonly overBudget: number;
}

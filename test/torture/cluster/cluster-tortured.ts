import type { Outcome } from '../reconciliation/outcome.js';
import type { ClusterFaultName } from './fault-names.js';

/** The arguments of a run with several nodes. */
export interface ClusterArguments {
  readonly nodes: number;
  /** No round of faults begins after this; there is at least one. */
  readonly minutes: number;
  readonly seed: number;
  readonly faults: readonly ClusterFaultName[];
  /** Undefined for the system's temporary directory. */
  readonly workDir: string | undefined;
}

/** The result of a run with several nodes. */
export interface ClusterTortured extends Outcome {
  readonly nodes: number;
  readonly seed: number;
  readonly minutes: number;
  readonly rounds: number;
  /** Starts of all nodes, including the first ones. */
  readonly starts: number;
  /** Events for which a caller got a reply which guarantees that they count. */
  readonly promised: number;
  /** Stored events that exceeded a budget. */
  readonly overBudget: number;
}

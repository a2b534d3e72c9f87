import type { Reply } from '../calls/books.js';

/** The result of a run, with one server or several. */
export interface Outcome {
  /** How often each fault happened. */
  readonly faults: ReadonlyMap<string, number>;
  readonly commands: number;
  readonly asked: number;
  readonly replies: Readonly<Record<Reply, number>>;
  /** Number of events that the ledger holds, or held before pruning. */
  readonly stored: number;
  /** Micros that the ledger bills. */
  readonly micros: number;
  /** How often ledger and books were compared. */
  readonly comparisons: number;
  /** A description of each difference; empty if there is none. */
  readonly differences: readonly string[];
  /** Where the data are kept after a difference. */
  readonly kept: string | null;
}

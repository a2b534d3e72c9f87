import type { Told } from '../calls/books.js';

/** What came of a run, of one server or several. */
export interface Outcome {
  /** How often each fault happened. */
  readonly faults: ReadonlyMap<string, number>;
  readonly commands: number;
  readonly asked: number;
  readonly told: Readonly<Record<Told, number>>;
  /** Events that the ledger holds, or has held. */
  readonly stored: number;
  /** Micros that it bills. */
  readonly micros: number;
  /** How often ledger and books were compared. */
  readonly audits: number;
  /** All that was wrong, in words; empty: nothing. */
  readonly differences: readonly string[];
  /** Where the data are kept, after a difference. */
  readonly kept: string | null;
}

import type { FaultName } from './fault-names.js';
import type { Told } from './books.js';

/** What came of a run. */
export interface Tortured {
  readonly kills: number;
  /** Kills before the server served. */
  readonly killsAtStart: number;
  readonly faults: ReadonlyMap<FaultName, number>;
  readonly commands: number;
  readonly asked: number;
  readonly told: Readonly<Record<Told, number>>;
  /** Events that the ledger holds, or has held. */
  readonly stored: number;
  /** Micros that it bills. */
  readonly micros: number;
  /** How often ledger and books were compared. */
  readonly audits: number;
  /** How the disk was made to fail. */
  readonly disk: string;
  /** All that was wrong, in words; empty: nothing. */
  readonly differences: readonly string[];
  /** Where the data are kept, after a difference. */
  readonly kept: string | null;
}

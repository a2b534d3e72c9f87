import type { Outcome } from '../reconciliation/outcome.js';

/** The result of a run with one server. */
export interface Tortured extends Outcome {
  readonly kills: number;
  /** Kills before the server served. */
  readonly killsAtStart: number;
  /** How the disk was made to fail. */
  readonly disk: string;
}

import type { Outcome } from '../audit/outcome.js';

/** What came of a run of one server. */
export interface Tortured extends Outcome {
  readonly kills: number;
  /** Kills before the server served. */
  readonly killsAtStart: number;
  /** How the disk was made to fail. */
  readonly disk: string;
}

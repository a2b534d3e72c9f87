import type { Creative } from '../models/schema/creative.js';
import { firstOf } from '../platform/command-line/first-of.js';
import { quoted } from './leaving.js';

/** How many advertisers a summary names without --verbose. */
const LISTED = 20;

/**
 * Names the advertisers that are new to a source, in one line, since their accounts pay for its rows from now on.
 * Returns no line if there are none.
 *
 * @param before the source's live rows before the run
 * @param after its live rows now
 */
export function describeArriving(
  source: string,
  before: readonly Creative[],
  after: readonly Creative[],
  verbose: boolean,
): string[] {
  const known = new Set(before.map(({ advertiser }) => advertiser));
  const names = [...new Set(after.flatMap(({ advertiser }) => advertiser ?? []))].filter((name) => !known.has(name));
  if (names.length === 0) return [];
  return [`  advertisers new to source ${source}: ${firstOf(names, LISTED, verbose, quoted)}`];
}

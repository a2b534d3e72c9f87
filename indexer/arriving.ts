import type { Creative } from '../models/schema/creative.js';
import { quotedList } from './leaving.js';

/** Advertisers that a summary names unless all are asked for. */
const LISTED = 20;

/**
 * A line that names the advertisers who are new to a source, since its rows are paid by their accounts from now on; none where
 * nobody is.
 *
 * @param before what was live of the source
 * @param after what is live of it now
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
  const shown = verbose ? names : names.slice(0, LISTED);
  const more = names.length - shown.length;
  const rest = more === 0 ? '' : ` and ${more.toLocaleString('en')} more (all with --verbose)`;
  return [`  advertisers new to source ${source}: ${quotedList(shown)}${rest}`];
}

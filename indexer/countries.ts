import type { Creative } from '../models/schema/creative.js';
import { firstOf } from '../platform/command-line/first-of.js';

/** How many countries a summary names without --verbose. */
const LISTED = 8;

/**
 * Says in one line how many creatives are only for readers in certain countries, and in which, the most frequent first.
 * The operator notices here that requests must name the reader's country.
 */
export function describeCountries(creatives: readonly Creative[], verbose: boolean): string[] {
  const limited = creatives.filter(({ countries }) => countries !== undefined);
  if (limited.length === 0) return [];
  const counts = new Map<string, number>();
  for (const country of limited.flatMap(({ countries }) => [...new Set(countries)])) {
    counts.set(country, (counts.get(country) ?? 0) + 1);
  }
  const all = [...counts].toSorted(([a, one], [b, other]) => other - one || a.localeCompare(b));
  const named = firstOf(all, LISTED, verbose, ([country, count]) => `${country} ${count.toLocaleString('en')}`);
  return [
    `  countries: ${limited.length.toLocaleString('en')} only for readers in ${named}; ` +
      'shown where a request or COUNTRY_HEADER names the reader’s country',
  ];
}

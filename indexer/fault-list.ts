import { describeFault, type FeedFault } from './feed/feed-entry.js';

/** How many faults of a field are listed without --verbose: a wrong column of 40,000 rows would hide all others. */
const LISTED = 20;

/**
 * Describes faults by line, those of the whole feed first, and counts those of a field that are not listed.
 *
 * @param origins by field: what it was read from, if that is not a column of its own name
 */
export function describeFaults(
  feed: string,
  faults: readonly FeedFault[],
  verbose: boolean,
  origins: ReadonlyMap<string, string> = new Map(),
): string[] {
  const counts = new Map<string, number>();
  const listed = faults.filter(({ field }) => {
    const count = (counts.get(columnOf(field)) ?? 0) + 1;
    counts.set(columnOf(field), count);
    return verbose || count <= LISTED;
  });
  const rest = [...counts].filter(([, count]) => !verbose && count > LISTED);
  return [
    ...listed.map((fault) => describeFault(feed, withOrigin(fault, origins))),
    ...rest.map(([column, count]) => {
      const where = column === '' ? 'of rows as a whole' : `of ${column}`;
      return `${feed}: and ${(count - LISTED).toLocaleString('en')} more faults ${where} (all with --verbose)`;
    }),
  ];
}

/** Names the column too, which is what an advertiser finds in the file. */
function withOrigin(fault: FeedFault, origins: ReadonlyMap<string, string>): FeedFault {
  const column = columnOf(fault.field);
  const origin = origins.get(column) ?? [...origins].find(([field]) => field.startsWith(`${column}.`))?.[1];
  return origin === undefined || origin === column ? fault : { ...fault, field: `${fault.field} (${origin})` };
}

/** Returns the field without the position in a list: `categories` for `categories.3`. */
function columnOf(field: string): string {
  return field.replace(/\.\d+$/, '');
}

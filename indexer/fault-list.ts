import { describeFault, type FeedFault } from './feed/feed-entry.js';

/** How many faults of a field are listed without --verbose: a wrong column of 40,000 rows would hide all others. */
const LISTED = 20;

/** Describes faults by line, those of the whole feed first, and counts those of a field that are not listed. */
export function describeFaults(feed: string, faults: readonly FeedFault[], verbose: boolean): string[] {
  const counts = new Map<string, number>();
  const listed = faults.filter(({ field }) => {
    const count = (counts.get(columnOf(field)) ?? 0) + 1;
    counts.set(columnOf(field), count);
    return verbose || count <= LISTED;
  });
  const rest = [...counts].filter(([, count]) => !verbose && count > LISTED);
  return [
    ...listed.map((fault) => describeFault(feed, fault)),
    ...rest.map(([column, count]) => {
      const where = column === '' ? 'of rows as a whole' : `of ${column}`;
      return `${feed}: and ${(count - LISTED).toLocaleString('en')} more faults ${where} (all with --verbose)`;
    }),
  ];
}

/** Returns the field without the position in a list: `categories` for `categories.3`. */
function columnOf(field: string): string {
  return field.replace(/\.\d+$/, '');
}

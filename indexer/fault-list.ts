import { describeFault, describePosition, type FeedFault } from './feed/feed-entry.js';
import { FIXED_ORIGINS } from './mapping/apply-reading.js';

/** How many faults of a field are listed without --verbose: a wrong column of 40,000 rows would hide all others. */
const LISTED = 20;

/**
 * Describes faults by line, those of the whole feed first, and counts those of a field that are not listed. The same
 * fault of a value that all rows get is described once.
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
  const { common, rest: single } = withoutCommon(faults, origins);
  const listed = single.filter(({ field }) => {
    const count = (counts.get(columnOf(field)) ?? 0) + 1;
    counts.set(columnOf(field), count);
    return verbose || count <= LISTED;
  });
  const rest = [...counts].filter(([, count]) => !verbose && count > LISTED);
  return [
    ...common.map(
      ({ fault, rows, first }) =>
        `${describeFault(feed, fault)} (in ${rows.toLocaleString('en')} rows, first at ${first})`,
    ),
    ...listed.map((fault) => describeFault(feed, withOrigin(fault, origins))),
    ...rest.map(([column, count]) => {
      const where = column === '' ? 'of rows as a whole' : `of ${column}`;
      return `${feed}: and ${(count - LISTED).toLocaleString('en')} more faults ${where} (all with --verbose)`;
    }),
  ];
}

/** Takes out the faults that several rows have in a value that all rows get, and counts each. */
function withoutCommon(faults: readonly FeedFault[], origins: ReadonlyMap<string, string>) {
  const groups = new Map<string, { readonly fault: FeedFault; readonly first: string; rows: number }>();
  for (const fault of faults) {
    const { position, field } = fault;
    // With `--set pricing.model=cpc`, a fault of `pricing` may lie in the row: the field must be the one that is set.
    if (position === null || !FIXED_ORIGINS.includes(origins.get(columnOf(field)) ?? '')) continue;
    const group = groups.get(keyOf(fault));
    if (group !== undefined) group.rows++;
    else {
      const common = { ...withOrigin(fault, origins), position: null };
      groups.set(keyOf(fault), { fault: common, first: describePosition(position), rows: 1 });
    }
  }
  const common = new Map([...groups].filter(([, { rows }]) => rows > 1));
  return { common: [...common.values()], rest: faults.filter((fault) => !common.has(keyOf(fault))) };
}

const keyOf = ({ field, message }: FeedFault): string => JSON.stringify([field, message]);

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

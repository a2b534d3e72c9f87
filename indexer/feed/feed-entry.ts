/** Where something stands in a feed. */
export interface Place {
  /** Line of the feed, from 1. */
  readonly line: number;
  /** Position in a JSON array, from 1: many of its rows may stand on one line. */
  readonly row?: number;
}

/** Something wrong with a feed: where, which field (dotted; empty for the whole row) and what was expected. */
export interface FeedFault {
  /** null: the feed as a whole is meant. */
  readonly place: Place | null;
  readonly field: string;
  readonly message: string;
}

/** What a format's reader finds at one place of a feed: a value still to be checked, or why there is none. */
export type FeedEntry = Place & { readonly lastLine: number } & (
    { readonly value: unknown } | { readonly fault: { readonly field: string; readonly message: string } }
  );

/** What a reader makes of a whole feed. `fatal` faults refuse it even with --skip-invalid. */
export interface FeedEntries {
  readonly entries: readonly FeedEntry[];
  readonly fatal: readonly FeedFault[];
  /** Columns that no feed row has, with the number of rows that fill them (CSV; JSON rows keep theirs). */
  readonly unknown: ReadonlyMap<string, { readonly rows: number; readonly line: number }>;
}

/** One line a fault, as people read it: `ads.csv:12: endsAt: is in the past`. */
export function describeFault(feed: string, { place, field, message }: FeedFault): string {
  const where = place === null ? '' : `:${place.line}${place.row === undefined ? '' : ` (row ${place.row})`}`;
  return `${feed}${where}: ${field === '' ? '' : `${field}: `}${message}`;
}

/** The same place in the middle of a sentence. */
export function describePlace({ line, row }: Place): string {
  return row === undefined ? `line ${line}` : `line ${line} (row ${row})`;
}

/** A position in a feed. */
export interface FeedPosition {
  /** Line of the feed, from 1. */
  readonly line: number;
  /** Position in a JSON array, from 1: several of its rows may be on one line. */
  readonly row?: number;
}

/** A fault of a feed: its position, the field (dotted; empty for the whole row) and what was expected. */
export interface FeedFault {
  /** Null: the feed as a whole. */
  readonly position: FeedPosition | null;
  readonly field: string;
  readonly message: string;
}

/**
 * Faults after which a feed is neither read nor checked further: 20 MB of lines of two characters took more than two
 * minutes and 3 GB of memory. A million is one for each row of the largest catalogues.
 */
export const MAX_FAULTS = 1_000_000;

/** Returns the fault that refuses a feed with more than `MAX_FAULTS`. */
export function tooManyFaults(position: FeedPosition): FeedFault {
  const message = `is the ${MAX_FAULTS.toLocaleString('en')}th fault, behind which nothing was checked`;
  return { position, field: '', message };
}

/** Rows that a feed may have: with more, those of three bytes each would take all memory. */
export const MAX_ROWS = 3_000_000;
export const TOO_MANY_ROWS = `has more than ${MAX_ROWS.toLocaleString('en')} rows; divide it among several sources`;

/** What a parser finds at one position of a feed: an unchecked value, or why there is none. */
export type FeedEntry = FeedPosition & { readonly lastLine: number } & (
    { readonly value: unknown } | { readonly fault: EntryFault }
  );

/** Why a position of a feed has no value. */
export interface EntryFault {
  readonly field: string;
  readonly message: string;
  /** Whether the rest of the row may be missing, as at the end of a file that is cut short. */
  readonly isIncomplete?: true;
}

/** A parser's result for a whole feed. `fatal` faults refuse it even with --skip-invalid. */
export interface FeedEntries {
  readonly entries: readonly FeedEntry[];
  readonly fatal: readonly FeedFault[];
  /** Unknown CSV columns, with the number of rows that fill them. JSON rows keep their unknown fields. */
  readonly unknown: ReadonlyMap<string, { readonly rows: number; readonly line: number }>;
}

/** Formats a fault as one line: `ads.csv:12: endsAt: is in the past`. */
export function describeFault(feed: string, { position, field, message }: FeedFault): string {
  const where =
    position === null ? '' : `:${position.line}${position.row === undefined ? '' : ` (row ${position.row})`}`;
  return `${feed}${where}: ${field === '' ? '' : `${field}: `}${message}`;
}

/** Formats a position for use within a sentence. */
export function describePosition({ line, row }: FeedPosition): string {
  return row === undefined ? `line ${line}` : `line ${line} (row ${row})`;
}

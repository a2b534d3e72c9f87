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

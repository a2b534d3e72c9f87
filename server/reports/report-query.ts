import { ReportQueryError } from './period.js';

export const DIMENSIONS = ['hour', 'day', 'publisher', 'advertiser', 'campaign', 'creative'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** The dimensions that are names. Each can also be a filter. */
export const NAMES = ['publisher', 'advertiser', 'campaign', 'creative'] as const;
export type Name = (typeof NAMES)[number];

/** By dimension, the name or names to include. The empty name means "none" (a no-fill has no creative). */
export type Filters = Readonly<Partial<Record<Name, string | readonly string[]>>>;

export interface ReportQuery {
  /** Dimensions to group rows by; empty: only the total. */
  readonly by: readonly Dimension[];
  readonly where?: Filters | undefined;
  /** First date (the whole day) or moment; undefined: from the beginning. */
  readonly from?: string | undefined;
  /** Last date (the whole day), or the exclusive end; undefined: until now. */
  readonly to?: string | undefined;
  /** IANA time zone of hours and days; undefined: the ledger's. */
  readonly timeZone?: string | undefined;
  /** True: only test traffic. False: everything else. A report never adds up the two. */
  readonly test: boolean;
}

/** One value per dimension of the query; null for none (a no-fill has no creative). */
export type Group = Readonly<Partial<Record<Dimension, string | null>>>;

/**
 * Parses a list of dimensions such as `day,creative`. An empty list stands for the total only.
 *
 * @throws ReportQueryError naming the unknown dimension
 */
export function dimensionsOf(list: string): Dimension[] {
  const names = new Set(
    list
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );
  return [...names].map((name) => {
    const dimension = DIMENSIONS.find((known) => known === name);
    if (dimension === undefined)
      throw new ReportQueryError(`"by" must be one of ${DIMENSIONS.join(', ')}, not "${name}"`);
    return dimension;
  });
}

/** Refuses names that no text of PostgreSQL can hold, so that none is stored. @throws ReportQueryError */
export function requireStorable(names: readonly string[]): void {
  if (names.some((name) => name.includes('\0'))) throw new ReportQueryError('a name must not contain U+0000');
}

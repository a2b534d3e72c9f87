import { ReportQueryError } from './period.js';

export const DIMENSIONS = ['hour', 'day', 'publisher', 'advertiser', 'campaign', 'creative'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** The dimensions that are names; each can be a filter too. */
export const NAMES = ['publisher', 'advertiser', 'campaign', 'creative'] as const;
export type Name = (typeof NAMES)[number];

/** Only what bears this name, or one of these; the empty name is "none" (a no-fill has no creative). */
export type Filters = Readonly<Partial<Record<Name, string | readonly string[]>>>;

export interface ReportQuery {
  /** What gets a row of its own; none: the total alone. */
  readonly by: readonly Dimension[];
  readonly where?: Filters | undefined;
  /** First date (whole) or moment; undefined: from the beginning. */
  readonly from?: string | undefined;
  /** Last date (whole), or the moment before which to end; undefined: until now. */
  readonly to?: string | undefined;
  /** IANA time zone of hours and days; undefined: the installation's. */
  readonly timeZone?: string | undefined;
  /** True: test keys' events alone. False: all others. The two are never added up. */
  readonly test: boolean;
}

/** One value for each dimension asked for; null where there was none (a no-fill has no creative). */
export type Group = Readonly<Partial<Record<Dimension, string | null>>>;

/**
 * A list such as `day,creative`; an empty one asks for the total alone.
 *
 * @throws ReportQueryError naming what is no dimension
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
    if (dimension === undefined) throw new ReportQueryError(`"by" knows ${DIMENSIONS.join(', ')}, not "${name}"`);
    return dimension;
  });
}

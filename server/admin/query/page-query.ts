import { pageNumberIn } from './page-of.js';
import type { Context } from 'koa';
import { addDays, isDate, type Calendar } from '../../../platform/time/calendar.js';
import { DIMENSIONS, NAMES, type Dimension, type Name } from '../../reports/report-query.js';
import type { Days } from './period.js';

/** A page's query, as its address has it. */
export interface PageQuery extends Days {
  readonly by: readonly Dimension[];
  /** Only rows with these names; the empty name: only rows without one, such as creatives of no advertiser. */
  readonly where: NameFilters;
  /** Column to sort by, with a minus for descending; empty: the report's own order. */
  readonly sort: string;
  /** From 1. */
  readonly page: number;
  /** Test traffic or live traffic; undefined: whichever has data. */
  readonly test: boolean | undefined;
}

const DEFAULT_DAYS = 30;

/** Reads the query of an address; by default the last 30 days by day. @throws 400 naming the parameter that is wrong */
export function readPageQuery(ctx: Context, calendar: Calendar, now: number): PageQuery {
  const query = new URLSearchParams(ctx.querystring);
  const date = (name: string): string | undefined => {
    const text = query.get(name) || undefined;
    if (text !== undefined && !isDate(text)) ctx.throw(400, `"${name}" must be a date such as 2026-11-21`);
    return text;
  };
  const last = date('to') ?? calendar.dateOf(now);
  const first = date('from') ?? addDays(last, 1 - DEFAULT_DAYS);
  // The two fields of a form are easily filled the wrong way round.
  const [from, to] = first > last ? [last, first] : [first, last];
  const by = query.getAll('by').flatMap((list) => list.split(',').filter((name) => name !== ''));
  const unknown = by.find((name) => !(DIMENSIONS as readonly string[]).includes(name));
  if (unknown !== undefined) ctx.throw(400, `"by" must be one of ${DIMENSIONS.join(', ')}`);
  const test = query.get('test');
  return {
    from,
    to,
    by: by.length === 0 ? ['day'] : DIMENSIONS.filter((dimension) => by.includes(dimension)),
    where: filtersIn(query),
    sort: query.get('sort') ?? '',
    page: pageNumberIn(query),
    test: test === '1' ? true : test === '0' ? false : undefined,
  };
}

/**
 * Returns an address's parameters for another address. Forms send `by` and `none` once per choice; here each is one
 * list.
 */
export function parametersIn(querystring: string): Record<string, string> {
  const query = new URLSearchParams(querystring);
  const lists = ['by', 'none'].map((name) => [name, query.getAll(name).join(',')]);
  return { ...Object.fromEntries(query), ...Object.fromEntries(lists) };
}

/** Returns the parameters for the same query. */
export function parametersOf({ from, to, by, where, sort }: PageQuery): Record<string, string> {
  return { from, to, by: by.join(','), ...filterParameters(where), sort };
}

/** Names to filter by; the empty name means "none". */
export type NameFilters = Readonly<Partial<Record<Name, string>>>;

/**
 * Reads the filters of an address. A blank field of a form means any name, so that `none=advertiser` has to ask for
 * rows without one; a name takes precedence.
 */
function filtersIn(query: URLSearchParams): NameFilters {
  const none = new Set(query.getAll('none').flatMap((list) => list.split(',')));
  const filters = NAMES.flatMap((name): (readonly [Name, string])[] => {
    const wanted = query.get(name);
    if (wanted) return [[name, wanted]];
    return none.has(name) ? [[name, '']] : [];
  });
  return Object.fromEntries(filters);
}

/** Returns filters as the parameters of an address. */
export function filterParameters(where: NameFilters): Record<string, string> {
  const filters = Object.entries(where);
  const none = filters.flatMap(([name, wanted]) => (wanted === '' ? [name] : []));
  return { ...Object.fromEntries(filters.filter(([, wanted]) => wanted !== '')), none: none.join(',') };
}

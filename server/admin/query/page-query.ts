import { pageNumberIn } from './page-of.js';
import type { Context } from 'koa';
import { addDays, isDate, type Calendar } from '../../../platform/time/calendar.js';
import { DIMENSIONS, NAMES, type Dimension, type Name } from '../../reports/report-query.js';
import type { Days } from './period.js';

/** A page's query, as its address has it. */
export interface PageQuery extends Days {
  readonly by: readonly Dimension[];
  /** Only rows with these names. */
  readonly where: Readonly<Partial<Record<Name, string>>>;
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
  const to = date('to') ?? calendar.dateOf(now);
  const from = date('from') ?? addDays(to, 1 - DEFAULT_DAYS);
  if (from > to) ctx.throw(400, `"to" (${to}) must not be before "from" (${from})`);
  const by = query.getAll('by').flatMap((list) => list.split(',').filter((name) => name !== ''));
  const unknown = by.find((name) => !(DIMENSIONS as readonly string[]).includes(name));
  if (unknown !== undefined) ctx.throw(400, `"by" must be one of ${DIMENSIONS.join(', ')}`);
  const where = NAMES.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : []));
  const test = query.get('test');
  return {
    from,
    to,
    by: by.length === 0 ? ['day'] : DIMENSIONS.filter((dimension) => by.includes(dimension)),
    where: Object.fromEntries(where) as PageQuery['where'],
    sort: query.get('sort') ?? '',
    page: pageNumberIn(query),
    test: test === '1' ? true : test === '0' ? false : undefined,
  };
}

/** Returns an address's parameters for another address. Forms send `by` once per dimension; here it is one list. */
export function parametersIn(querystring: string): Record<string, string> {
  const query = new URLSearchParams(querystring);
  return { ...Object.fromEntries(query), by: query.getAll('by').join(',') };
}

/** Returns the parameters for the same query. */
export function parametersOf({ from, to, by, where, sort }: PageQuery): Record<string, string> {
  return { from, to, by: by.join(','), ...where, sort };
}

import type { Context } from 'koa';
import { addDays, isDate, type Calendar } from '../../../platform/time/calendar.js';
import type { Party } from '../../domain/party.js';
import type { OwnChoice } from '../../reports/own-figures.js';
import { OWN_DIMENSIONS } from '../../reports/own-report.js';
import { ReportQueryError } from '../../reports/period.js';
import { lengthOf } from '../query/period.js';

const DEFAULT_DAYS = 30;
/** Bound the time that a report takes, and the rows it has. */
const MAX_DAYS = 366;
const MAX_DAYS_WITH_NAMES = 92;

/**
 * Reads what an address chooses of a party's figures: days and dimensions, by default the last 30 days by day. Every
 * other parameter is refused, and there is none for a name: whose figures these are, the access token says.
 *
 * @param more other parameters that the page has
 * @throws ReportQueryError naming the parameter that is wrong
 */
export function readOwnQuery(
  ctx: Pick<Context, 'querystring'>,
  { kind }: Party,
  calendar: Calendar,
  now: number,
  more: readonly string[] = [],
): OwnChoice {
  const given = readOnce(ctx, ['by', 'from', 'to', ...more]);
  const date = (name: string): string | undefined => {
    const text = given.get(name) || undefined;
    if (text !== undefined && !isDate(text)) throw new ReportQueryError(`"${name}" must be a date such as 2026-11-21`);
    return text;
  };
  const last = date('to') ?? calendar.dateOf(now);
  const first = date('from') ?? addDays(last, 1 - DEFAULT_DAYS);
  // The two fields of a form are easily filled the wrong way round.
  const [from, to] = first > last ? [last, first] : [first, last];
  const wanted = (given.get('by') || 'day').split(',').map((name) => name.trim());
  const by = OWN_DIMENSIONS[kind].filter((dimension) => wanted.includes(dimension));
  if (!wanted.every((name) => by.some((dimension) => dimension === name)))
    throw new ReportQueryError(`"by" must be one of ${OWN_DIMENSIONS[kind].join(', ')}`);
  const most = by.length > 1 && by.includes('day') ? MAX_DAYS_WITH_NAMES : MAX_DAYS;
  if (lengthOf({ from, to }) > most)
    throw new ReportQueryError(
      `"from" and "to" must be at most ${most} days apart${most < MAX_DAYS ? ' by day and name' : ''}`,
    );
  return { by, from, to };
}

/**
 * Reads the parameters of an address that may each be given once, and no others.
 *
 * @throws ReportQueryError naming one that is given twice, or does not exist
 */
export function readOnce({ querystring }: Pick<Context, 'querystring'>, known: readonly string[]): URLSearchParams {
  const given = new URLSearchParams(querystring);
  for (const name of given.keys()) {
    if (!known.includes(name))
      throw new ReportQueryError(
        `there is no parameter "${name.slice(0, 80)}"; there are ${known.join(', ') || 'none'}`,
      );
    if (given.getAll(name).length > 1) throw new ReportQueryError(`"${name}" is given twice`);
  }
  return given;
}

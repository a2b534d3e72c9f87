import type { Context } from 'koa';
import type { Measures } from '../../reports/measures.js';
import type { Report } from '../../reports/report.js';
import type { ReportQuery } from '../../reports/report-query.js';
import { hrefOf, type Traffic } from '../rendering/show.js';
import { parametersIn } from './page-query.js';

/** Runs a report of the ledger, off the event loop. */
export type RunReport = (query: ReportQuery) => Promise<Report>;

/**
 * Returns the traffic that a page shows: what its address says, else test traffic as long as there is no other. The
 * demo's key is a test key: after trying the demo, the operator sees its numbers at once, marked as test traffic.
 */
export async function trafficOf(ctx: Context, asked: boolean | undefined, ask: RunReport): Promise<Traffic> {
  const test = asked ?? (await onlyTests(ask));
  const query = parametersIn(ctx.querystring);
  return {
    test,
    parameter: test ? '1' : asked === false ? '0' : '',
    otherHref: hrefOf('', { ...query, page: undefined, test: test ? '0' : '1' }) || '?',
    chosenForYou: test && asked === undefined,
  };
}

async function onlyTests(ask: RunReport): Promise<boolean> {
  const { total, leftOut } = await ask({ by: [], test: false });
  return leftOut > 0 && isEmpty(total);
}

/** Returns whether there were neither decisions nor events. */
export function isEmpty({ decisions, impressions, views, clicks, ignored }: Measures): boolean {
  return decisions + impressions + views + clicks === 0 && Object.values(ignored).every((times) => times === 0);
}

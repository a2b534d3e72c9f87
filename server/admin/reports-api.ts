import type { Router } from '@koa/router';
import type { Context } from 'koa';
import type { OverriddenCampaign } from '../campaigns/terms/campaign-file.js';
import { ReportQueryError } from '../reports/period.js';
import { dimensionsOf, NAMES, type ReportQuery } from '../reports/report-query.js';
import type { ReportThread } from '../reports/report-thread.js';

export interface ReportsApiOptions {
  readonly reports: Pick<ReportThread, 'csv' | 'json'>;
  /** Lists the campaigns with terms set over the feed's. */
  readonly setByCommand: () => Promise<readonly OverriddenCampaign[]>;
}

/** `GET /admin/api/reports`: the output of `npm run report`, as JSON or CSV, with parameters of the same names. */
export function reportsApi(router: Router, { reports, setByCommand }: ReportsApiOptions): void {
  router.get('/admin/api/reports', async (ctx) => {
    const { format, query } = readQuery(ctx);
    if (format === 'json') {
      const report = Buffer.from(await reports.json(query));
      const terms = `,"setByCommand":${JSON.stringify(await setByCommand())}}`;
      ctx.type = 'application/json; charset=utf-8';
      // In place of the closing brace.
      ctx.body = Buffer.concat([report.subarray(0, -1), Buffer.from(terms)]);
      return;
    }
    const csv = Buffer.from(await reports.csv(query));
    ctx.attachment('report.csv');
    ctx.type = 'text/csv; charset=utf-8';
    ctx.body = csv;
  });
}

const ONCE = ['by', 'from', 'to', 'time-zone', 'test', 'format'];

/** @throws ReportQueryError naming the parameter that is wrong */
function readQuery(ctx: Context): { format: 'json' | 'csv'; query: ReportQuery } {
  const given = new URLSearchParams(ctx.querystring);
  for (const name of new Set(given.keys())) {
    if (!ONCE.includes(name) && !(NAMES as readonly string[]).includes(name)) {
      throw new ReportQueryError(`there is no parameter "${name}"; there are ${[...ONCE, ...NAMES].join(', ')}`);
    }
    if (ONCE.includes(name) && given.getAll(name).length > 1) throw new ReportQueryError(`"${name}" is given twice`);
  }
  const one = (name: string): string | undefined => given.get(name) ?? undefined;
  const format = one('format') ?? 'json';
  if (format !== 'json' && format !== 'csv')
    throw new ReportQueryError(`"format" must be json or csv, not "${format}"`);
  const test = one('test') ?? '0';
  if (!/^(0|1|true|false)$/.test(test)) throw new ReportQueryError(`"test" must be 1 or 0, not "${test}"`);
  const where = Object.fromEntries(NAMES.filter((name) => given.has(name)).map((name) => [name, given.getAll(name)]));
  const by = dimensionsOf(one('by') ?? 'day');
  return {
    format,
    query: { by, where, from: one('from'), to: one('to'), timeZone: one('time-zone'), test: /^(1|true)$/.test(test) },
  };
}

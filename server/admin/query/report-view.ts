import type { Context } from 'koa';
import type { Calendar } from '../../../platform/time/calendar.js';
import type { Measures } from '../../reports/measures.js';
import type { Dimension } from '../../reports/report-query.js';
import type { Report } from '../../reports/report.js';
import { hrefOf, type Traffic } from '../rendering/show.js';
import { daysBefore, finishedDays, stepOf, stepsOf, usualPeriods, type Days, type Step } from './period.js';
import { parametersIn, readPageQuery, type NameFilters, type PageQuery } from './page-query.js';
import { trafficOf, type RunReport } from './traffic.js';

/** What is needed to read a query and run its reports. */
export interface ReportViewOptions {
  readonly runReport: RunReport;
  readonly calendar: Calendar;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** A page's query, with its reports. */
export interface ReportView {
  readonly query: PageQuery;
  readonly traffic: Traffic;
  /** Hours for one or two days, else days. */
  readonly step: Step;
  /** Every step of the period up to now. */
  readonly steps: readonly string[];
  /** Runs a report of the period and traffic. */
  report(by: readonly Dimension[], where?: NameFilters): Promise<Report>;
  /** Returns the sums of the period's finished days, and of as many days before; null if no day is finished. */
  compare(where?: NameFilters): Promise<PeriodComparison | null>;
  /** Links to the same page over other periods. */
  readonly periods: readonly { readonly name: string; readonly href: string; readonly chosen: boolean }[];
}

/** Two sums to compare. */
export interface PeriodComparison {
  readonly now: Measures;
  readonly before: Measures;
}

/** Reads an address's query. @throws 400 naming the parameter that is wrong */
export async function readReportView(
  ctx: Context,
  { runReport, calendar, clock }: ReportViewOptions,
): Promise<ReportView> {
  const now = clock();
  const pageQuery = readPageQuery(ctx, calendar, now);
  const traffic = await trafficOf(ctx, pageQuery.test, runReport);
  const { test } = traffic;
  const days = ({ from, to }: Days): Days => ({ from, to });
  const query = parametersIn(ctx.querystring);
  const finished = finishedDays(pageQuery, calendar.dateOf(now));
  return {
    query: pageQuery,
    traffic,
    step: stepOf(pageQuery),
    steps: stepsOf(pageQuery, calendar, now),
    report: (by, where = {}) => runReport({ by, where, ...days(pageQuery), test }),
    async compare(where = {}) {
      if (finished === null) return null;
      const periods = [finished, daysBefore(finished)];
      const [now, before] = await Promise.all(periods.map((each) => runReport({ by: [], where, ...each, test })));
      return { now: now!.total, before: before!.total };
    },
    periods: usualPeriods(calendar.dateOf(now)).map(({ name, from, to }) => ({
      name,
      href: hrefOf('', { ...query, from, to, page: undefined }),
      chosen: from === pageQuery.from && to === pageQuery.to,
    })),
  };
}

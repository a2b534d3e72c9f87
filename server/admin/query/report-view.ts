import type { Context } from 'koa';
import type { Calendar } from '../../../platform/time/calendar.js';
import type { Measures } from '../../reports/measures.js';
import type { Dimension, Name } from '../../reports/report-query.js';
import type { Report } from '../../reports/report.js';
import { hrefOf, type Traffic } from '../rendering/show.js';
import { daysBefore, finishedDays, stepOf, stepsOf, usualPeriods, type Days, type Step } from './period.js';
import { parametersIn, readPageQuery, type PageQuery } from './page-query.js';
import { trafficOf, type RunReport } from './traffic.js';

/** What a question is read and asked with. */
export interface ReportViewOptions {
  readonly runReport: RunReport;
  readonly calendar: Calendar;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** A page's question, and what it needs to ask the ledger. */
export interface ReportView {
  readonly query: PageQuery;
  readonly traffic: Traffic;
  /** Hours for a day or two, else days. */
  readonly step: Step;
  /** Every step of the period up to now. */
  readonly steps: readonly string[];
  /** A report of the period, of the traffic that is looked at. */
  report(by: readonly Dimension[], where?: Readonly<Partial<Record<Name, string>>>): Promise<Report>;
  /** The sums of the period's days that are over, and of as many days before; null: none is over. */
  compare(where?: Readonly<Partial<Record<Name, string>>>): Promise<Comparison | null>;
  /** Links to the same page over other periods. */
  readonly periods: readonly { readonly name: string; readonly href: string; readonly chosen: boolean }[];
}

/** Two sums to be compared. */
export interface Comparison {
  readonly now: Measures;
  readonly before: Measures;
}

/** Reads what an address asks for. @throws 400 naming the parameter that is wrong */
export async function readReportView(
  ctx: Context,
  { runReport: ask, calendar, clock }: ReportViewOptions,
): Promise<ReportView> {
  const now = clock();
  const question = readPageQuery(ctx, calendar, now);
  const traffic = await trafficOf(ctx, question.test, ask);
  const { test } = traffic;
  const days = ({ from, to }: Days): Days => ({ from, to });
  const query = parametersIn(ctx.querystring);
  const finished = finishedDays(question, calendar.dateOf(now));
  return {
    query: question,
    traffic,
    step: stepOf(question),
    steps: stepsOf(question, calendar, now),
    report: (by, where = {}) => ask({ by, where, ...days(question), test }),
    async compare(where = {}) {
      if (finished === null) return null;
      const periods = [finished, daysBefore(finished)];
      const [now, before] = await Promise.all(periods.map((each) => ask({ by: [], where, ...each, test })));
      return { now: now!.total, before: before!.total };
    },
    periods: usualPeriods(calendar.dateOf(now)).map(({ name, from, to }) => ({
      name,
      href: hrefOf('', { ...query, from, to, page: undefined }),
      chosen: from === question.from && to === question.to,
    })),
  };
}

import type { ReportView } from '../query/report-view.js';
import type { Report, ReportRow } from '../../reports/report.js';
import { MEASURES } from '../rendering/measures.js';
import type { MeasureName } from '../../reports/order.js';
import { firstRows } from '../query/first-rows.js';
import { timePlot } from './time-plot.js';
import { decimalsOf } from '../../invoice/payable.js';
import type { Plots } from './plot-thread.js';

const MAX_BARS = 8;

/** A plot over time as a drawing, or the largest rows as bars, with title and summary. */
export interface Chart {
  readonly title: string;
  /** The plot's content as text, for those who cannot see it. */
  readonly summary: string;
  /** Empty if it could not be drawn, or there is nothing to draw. */
  readonly svg: string;
  /** Largest first. */
  readonly bars: readonly { readonly name: string; readonly label: string; readonly share: number }[];
}

/** Plots measures over the steps of a period, from one report by hour or day. */
export function timeCharts(
  { plots, currency }: { readonly plots: Plots; readonly currency: string },
  { step, steps, query: question }: ReportView,
  report: Report,
  names: readonly MeasureName[],
): Promise<readonly Chart[]> {
  return Promise.all(
    names.map(async (name) => {
      const { title, axis, label } = MEASURES[name];
      const unit = axis === 'money' ? ` ${currency}` : '';
      const isCut = step === 'day' && steps[0] !== undefined && steps[0] > question.from;
      return {
        title: `${unit === '' ? title : `${title},${unit}`}${isCut ? `, last ${steps.length} days` : ''}`,
        summary: `${title} by ${step}, ${question.from} to ${question.to}: ${label(report.total, decimalsOf(currency))}${unit} in all.`,
        svg: await plots.draw(timePlot(report, name, steps)),
        bars: [],
      };
    }),
  );
}

/** Shows the rows with the highest values of a measure as bars: names of any length, which no drawing could wrap. */
export async function barChart(
  currency: string,
  rows: readonly ReportRow[],
  name: MeasureName,
  nameOf: (row: ReportRow) => string,
): Promise<Chart> {
  const { title, axis, value, label } = MEASURES[name];
  const valueOf = (row: ReportRow): number => value(row) ?? 0;
  const first = await firstRows(rows, MAX_BARS, (one, other) => valueOf(other) - valueOf(one));
  const most = Math.max(0, ...first.map(valueOf));
  return {
    title: axis === 'money' ? `${title}, ${currency}` : title,
    summary: `No ${title.toLowerCase()}.`,
    svg: '',
    bars: first
      .filter((row) => valueOf(row) > 0)
      .map((row) => ({ name: nameOf(row), label: label(row, decimalsOf(currency)), share: valueOf(row) / most })),
  };
}

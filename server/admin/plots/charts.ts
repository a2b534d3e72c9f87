import type { ReportView } from '../query/report-view.js';
import type { Report, ReportRow } from '../../reports/report.js';
import { MEASURES } from '../rendering/measures.js';
import type { MeasureName } from '../../reports/order.js';
import { barPlot, timePlot } from './report-plots.js';
import type { Plots } from './plot-thread.js';

/** A drawn plot with its title and summary. */
export interface Chart {
  readonly title: string;
  /** The plot's content as text, for those who cannot see it. */
  readonly summary: string;
  /** Empty if it could not be drawn, or there is nothing to draw. */
  readonly svg: string;
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
        summary: `${title} by ${step}, ${question.from} to ${question.to}: ${label(report.total)}${unit} in all.`,
        svg: await plots.draw(timePlot(report, name, steps)),
      };
    }),
  );
}

/** Plots the rows with the highest values of a measure. */
export async function barChart(
  { plots, currency }: { readonly plots: Plots; readonly currency: string },
  rows: readonly ReportRow[],
  name: MeasureName,
  nameOf: (row: ReportRow) => string,
  width = 640,
): Promise<Chart> {
  const { title, axis } = MEASURES[name];
  const plot = await barPlot(rows, name, nameOf, width);
  const values = plot.bars.map((bar) => `${bar.name} ${bar.label}`).join(', ');
  return {
    title: axis === 'money' ? `${title}, ${currency}` : title,
    summary: values === '' ? `No ${title.toLowerCase()}.` : `${title}: ${values}.`,
    svg: plot.bars.length === 0 ? '' : await plots.draw(plot),
  };
}

import { decimalsOf } from '../../invoice/payable.js';
import { measuresOf, emptySums } from '../../reports/measures.js';
import type { Report } from '../../reports/report.js';
import { MEASURES } from '../rendering/measures.js';
import type { MeasureName } from '../../reports/order.js';
import type { Plot } from './plot.js';
import { stepNames } from './step-names.js';

const NOTHING = measuresOf(emptySums());

/** Plots a measure of a report by hour or day alone, at every step of the period, including steps without a row. */
export function timePlot(report: Report, name: MeasureName, steps: readonly string[]): Plot {
  const { axis, mark, value, label } = MEASURES[name];
  const decimals = decimalsOf(report.currency);
  const rows = new Map(report.rows.map((row) => [row.group.hour ?? row.group.day, row]));
  const points = stepNames(steps).map(({ step, ...names }) => {
    const row = rows.get(step) ?? NOTHING;
    return { ...names, value: value(row), label: label(row, decimals) };
  });
  return { mark, axis, points };
}

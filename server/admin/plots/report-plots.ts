import { firstRows } from '../query/first-rows.js';
import { measuresOf, emptySums } from '../../reports/measures.js';
import type { Report, ReportRow } from '../../reports/report.js';
import { MEASURES } from '../rendering/measures.js';
import type { MeasureName } from '../../reports/order.js';
import type { BarPlot, TimePlot } from './plot.js';
import { stepNames } from './step-names.js';

const NOTHING = measuresOf(emptySums());
/** Approximate width of a letter. */
const LETTER = 6.7;
const LETTERS = new Intl.Segmenter('en');

/** Plots a measure of a report by hour or day alone, at every step of the period, including steps without a row. */
export function timePlot(report: Report, name: MeasureName, steps: readonly string[]): TimePlot {
  const { axis, mark, value, label } = MEASURES[name];
  const rows = new Map(report.rows.map((row) => [row.group.hour ?? row.group.day, row]));
  const points = stepNames(steps).map(({ step, ...names }) => {
    const row = rows.get(step) ?? NOTHING;
    return { ...names, value: value(row), label: label(row) };
  });
  return { kind: 'time', mark, axis, points };
}

/** Plots the rows with the highest values of a measure, by name. */
export async function barPlot(
  rows: readonly ReportRow[],
  name: MeasureName,
  nameOf: (row: ReportRow) => string,
  width: number,
  count = 8,
): Promise<BarPlot> {
  const { value, label } = MEASURES[name];
  const names = Math.round(0.46 * width);
  const valueOf = (row: ReportRow): number => value(row) ?? 0;
  const first = await firstRows(rows, count, (one, other) => valueOf(other) - valueOf(one));
  const bars = first
    .filter((row) => valueOf(row) > 0)
    .map((row) => ({
      value: valueOf(row),
      name: shortened(nameOf(row), Math.floor(names / LETTER)),
      label: label(row),
    }));
  return { kind: 'bars', width, names, bars };
}

/** Shortens a name by its number of letters, which is close enough: Vega cannot measure text without a canvas. */
function shortened(name: string, maxLetters: number): string {
  // Counts graphemes, so that no emoji is cut in two.
  const letters = Array.from(LETTERS.segment(name), ({ segment }) => segment);
  return letters.length <= maxLetters
    ? name
    : `${letters
        .slice(0, maxLetters - 1)
        .join('')
        .trimEnd()}…`;
}

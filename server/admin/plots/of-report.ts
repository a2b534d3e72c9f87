import { measuresOf, emptySums } from '../../reports/measures.js';
import type { Report, ReportRow } from '../../reports/report.js';
import { MEASURES, type MeasureName } from '../rendering/measures.js';
import type { BarPlot, TimePlot } from './plot.js';

const NOTHING = measuresOf(emptySums());
/** Width of a letter, more or less. */
const LETTER = 6.7;
const LETTERS = new Intl.Segmenter('en');
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** A measure of a report by hour or day alone, at every step of the period, those without a row included. */
export function timePlot(report: Report, name: MeasureName, steps: readonly string[]): TimePlot {
  const { axis, mark, value, label } = MEASURES[name];
  const rows = new Map(report.rows.map((row) => [row.group.hour ?? row.group.day, row]));
  const points = steps.map((step) => {
    const row = rows.get(step) ?? NOTHING;
    return { at: stepName(step), value: value(row), label: label(row) };
  });
  return { kind: 'time', mark, axis, points };
}

/** The rows with the most of a measure, by their name. */
export function barPlot(
  rows: readonly ReportRow[],
  name: MeasureName,
  nameOf: (row: ReportRow) => string,
  width: number,
  most = 8,
): BarPlot {
  const { value, label } = MEASURES[name];
  const names = Math.round(0.46 * width);
  const bars = rows
    .map((row) => ({ row, value: value(row) ?? 0 }))
    .filter((bar) => bar.value > 0)
    .toSorted((one, other) => other.value - one.value)
    .slice(0, most)
    .map(({ row, ...bar }) => ({
      ...bar,
      name: shortened(nameOf(row), Math.floor(names / LETTER)),
      label: label(row),
    }));
  return { kind: 'bars', width, names, bars };
}

/** `2026-11-21` is `21 Nov`, `2026-11-21T14:00+01:00` is `14:00`. */
function stepName(step: string): string {
  return step.includes('T') ? step.slice(11, 16) : DAY.format(new Date(step));
}

/** Vega cannot measure text without a canvas; a cut by letters is near enough. */
function shortened(name: string, most: number): string {
  // By what a reader takes for one letter, so that no emoji is cut in two.
  const letters = Array.from(LETTERS.segment(name), ({ segment }) => segment);
  return letters.length <= most
    ? name
    : `${letters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`;
}

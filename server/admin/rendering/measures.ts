import { format } from './format.js';
import type { Measures } from '../../reports/measures.js';
import { type MeasureName, MEASURE_VALUES } from '../../reports/order.js';

/** The number format of an axis. */
export type Axis = 'count' | 'money' | 'percent';

/** A number in a report that can be plotted. */
export interface Measure {
  readonly title: string;
  readonly axis: Axis;
  readonly mark: 'columns' | 'line';
  value(measures: Measures): number | null;
  /** @param decimals of the currency */
  label(measures: Measures, decimals: number): string;
}

const count = (title: string, pick: (measures: Measures) => number): Measure => ({
  title,
  axis: 'count',
  mark: 'columns',
  value: pick,
  label: (measures) => format.count(pick(measures)),
});

const rate = (title: string, pick: (measures: Measures) => number | null): Measure => ({
  title,
  axis: 'percent',
  mark: 'line',
  value: pick,
  label: (measures) => format.percent(pick(measures)),
});

const money = (title: string, mark: Measure['mark'], pick: (measures: Measures) => bigint | null): Measure => ({
  title,
  axis: 'money',
  mark,
  // A double is exact enough for a plot.
  value: (measures) => (pick(measures) === null ? null : Number(pick(measures)) / 1e6),
  label: (measures, decimals) => format.roundMoney(pick(measures), decimals),
});

export const MEASURES = {
  decisions: count('Decisions', MEASURE_VALUES.decisions),
  fills: count('Fills', MEASURE_VALUES.fills),
  fillRate: rate('Fill rate', MEASURE_VALUES.fillRate),
  impressions: count('Impressions', MEASURE_VALUES.impressions),
  views: count('Views', MEASURE_VALUES.views),
  clicks: count('Clicks', MEASURE_VALUES.clicks),
  ctr: rate('CTR', MEASURE_VALUES.ctr),
  ignored: count('Ignored', MEASURE_VALUES.ignored),
  spend: money('Spend', 'columns', MEASURE_VALUES.spend),
  ecpm: money('eCPM', 'line', MEASURE_VALUES.ecpm),
} as const satisfies Record<MeasureName, Measure>;

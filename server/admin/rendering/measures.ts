import { format } from './format.js';
import type { Measures } from '../../reports/measures.js';
import type { MeasureName } from '../../reports/order.js';

/** The number format of an axis. */
export type Axis = 'count' | 'money' | 'percent';

/** A number in a report that can be plotted. */
export interface Measure {
  readonly title: string;
  readonly axis: Axis;
  readonly mark: 'columns' | 'line';
  value(measures: Measures): number | null;
  label(measures: Measures): string;
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
  label: (measures) => format.roundMoney(pick(measures)),
});

export const MEASURES = {
  decisions: count('Decisions', ({ decisions }) => decisions),
  fills: count('Fills', ({ fills }) => fills),
  fillRate: rate('Fill rate', ({ fillRate }) => fillRate),
  impressions: count('Impressions', ({ impressions }) => impressions),
  views: count('Views', ({ views }) => views),
  clicks: count('Clicks', ({ clicks }) => clicks),
  ctr: rate('CTR', ({ ctr }) => ctr),
  ignored: count('Ignored', ({ ignored }) => Object.values(ignored).reduce((sum, times) => sum + times, 0)),
  spend: money('Spend', 'columns', ({ spendMicros }) => spendMicros),
  ecpm: money('eCPM', 'line', ({ ecpmMicros }) => ecpmMicros),
} as const satisfies Record<MeasureName, Measure>;

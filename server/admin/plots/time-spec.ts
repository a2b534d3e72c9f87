import type { Config, Spec } from 'vega';
import type { Axis } from '../rendering/measures.js';
import type { Plot } from './plot.js';

const WIDTH = 460;
const TIME_HEIGHT = 196;

const CONFIG: Config = {
  axis: {
    aria: false,
    domain: false,
    ticks: false,
    labelColor: 'var(--muted)',
    labelFont: 'inherit',
    labelFontSize: 12,
    labelPadding: 6,
    gridColor: 'var(--line)',
  },
};

/** Returns the specification of columns or a line over hours or days. */
export function timeSpec({ mark, axis, points }: Plot): Spec {
  const values = points.map(({ at, value, label }, place) => ({ place, at, value, label: `${at}  ${label}` }));
  const shown = points.flatMap(({ tick }, place) => (tick === null ? [] : [place]));
  return {
    width: WIDTH,
    height: TIME_HEIGHT,
    padding: { left: 0, right: 4, top: 4, bottom: 0 },
    autosize: { type: 'fit', contains: 'padding' },
    config: CONFIG,
    data: [{ name: 'points', values }],
    scales: [
      {
        name: 'x',
        type: 'band',
        domain: { data: 'points', field: 'place' },
        range: 'width',
        paddingInner: 0.25,
        // Without it, rounding may put the first band below 0, and Vega then leaves out its label.
        paddingOuter: 0.01,
      },
      {
        name: 'y',
        type: 'linear',
        domain: values.some(({ value }) => (value ?? 0) > 0) ? { data: 'points', field: 'value' } : [0, 1],
        range: 'height',
        zero: true,
        nice: 4,
      },
      {
        name: 'at',
        type: 'ordinal',
        domain: { data: 'points', field: 'place' },
        // Not the points' field, from which Vega takes each label once: two hours are the same when summer time ends.
        range: points.map(({ tick }) => tick),
      },
    ],
    axes: [
      {
        orient: 'left',
        scale: 'y',
        grid: true,
        tickCount: 4,
        ...(axis === 'count' ? { tickMinStep: 1 } : {}),
        format: formatOf(axis, values),
      },
      {
        orient: 'bottom',
        scale: 'x',
        values: shown,
        labelOverlap: false,
        encode: { labels: { update: { text: { scale: 'at', field: 'value' } } } },
      },
    ],
    marks: [...(mark === 'columns' ? columns() : line()), pointedAt()],
  };
}

/**
 * Returns the axis's number format: large numbers are abbreviated (1.2M), small ones are not, since "m" for thousandths
 * misleads.
 */
function formatOf(axis: Axis, values: readonly { readonly value: number | null }[]): string {
  if (axis === 'percent') return '.2~%';
  return values.some(({ value }) => (value ?? 0) >= 10_000) ? '~s' : ',~f';
}

function columns(): NonNullable<Spec['marks']> {
  const update = {
    x: { scale: 'x', field: 'place' },
    width: { scale: 'x', band: 1 },
    y: { scale: 'y', field: 'value' },
    y2: { scale: 'y', value: 0 },
    cornerRadiusTopLeft: { value: 2 },
    cornerRadiusTopRight: { value: 2 },
    fill: { value: 'var(--plot)' },
  } as const;
  return [{ type: 'rect', aria: false, from: { data: 'points' }, encode: { update } }];
}

function line(): NonNullable<Spec['marks']> {
  const place = { x: { scale: 'x', field: 'place', band: 0.5 }, y: { scale: 'y', field: 'value' } } as const;
  const defined = { signal: 'isValid(datum.value)' };
  const stroke = {
    stroke: { value: 'var(--plot)' },
    strokeWidth: { value: 2 },
    strokeJoin: { value: 'round' },
  } as const;
  const area = { y2: { scale: 'y', value: 0 }, fill: { value: 'var(--plot)' }, fillOpacity: { value: 0.12 } } as const;
  const dots = { size: { value: 14 }, fill: { signal: "isValid(datum.value) ? 'var(--plot)' : 'none'" } } as const;
  const from = { data: 'points' };
  return [
    { type: 'area', aria: false, from, encode: { update: { ...place, ...area, defined } } },
    { type: 'line', aria: false, from, encode: { update: { ...place, ...stroke, defined } } },
    // A single rate between times without one has no line, so it needs a dot.
    { type: 'symbol', aria: false, from, encode: { update: { ...place, ...dots } } },
  ];
}

/**
 * Returns a transparent column over each hour or day. The style sheet shows its numbers on hover, since there is no
 * script.
 */
function pointedAt(): NonNullable<Spec['marks']>[number] {
  const whole = {
    x: { scale: 'x', field: 'place', band: -0.15 },
    width: { scale: 'x', band: 1.34 },
    y: { value: 0 },
    y2: { signal: 'height' },
    fill: { value: 'var(--ink)' },
  } as const;
  const words = {
    x: { signal: 'width' },
    y: { value: -10 },
    align: { value: 'right' },
    text: { field: 'label' },
    font: { value: 'inherit' },
    fontSize: { value: 12 },
    fontWeight: { value: 600 },
    fill: { value: 'var(--ink)' },
  } as const;
  return {
    type: 'group',
    name: 'pointed-at',
    aria: false,
    from: { facet: { data: 'points', name: 'point', groupby: 'place' } },
    marks: [
      { type: 'rect', aria: false, from: { data: 'point' }, encode: { update: whole } },
      { type: 'text', aria: false, from: { data: 'point' }, encode: { update: words } },
    ],
  };
}

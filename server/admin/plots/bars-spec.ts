import type { Spec } from 'vega';
import type { BarPlot } from './plot.js';

const BAR_STEP = 25;

/** Returns the specification of a bar chart: names, each with its bar and its number. */
export function barsSpec({ width, names: namesWidth, bars }: BarPlot): Spec {
  const values = bars.map((bar, place) => ({ ...bar, place }));
  const names = { text: { field: 'name' }, x: { value: 0 }, align: { value: 'left' } } as const;
  const font = { font: { value: 'inherit' }, fontSize: { value: 12 }, baseline: { value: 'middle' } } as const;
  const middle = { y: { scale: 'y', field: 'place', band: 0.5 } } as const;
  const beside = { text: { field: 'label' }, x: { scale: 'x', field: 'value', offset: 6 } } as const;
  return {
    width,
    height: BAR_STEP * values.length,
    padding: 2,
    autosize: 'none',
    data: [{ name: 'bars', values }],
    scales: [
      // Leaves space for the name before the bar and the number after it.
      {
        name: 'x',
        type: 'linear',
        domain: { data: 'bars', field: 'value' },
        range: [namesWidth, width - 64],
        zero: true,
      },
      { name: 'y', type: 'band', domain: { data: 'bars', field: 'place' }, range: 'height', paddingInner: 0.4 },
    ],
    marks: [
      {
        type: 'text',
        aria: false,
        from: { data: 'bars' },
        encode: { update: { ...names, ...font, ...middle, fill: { value: 'var(--ink)' } } },
      },
      {
        type: 'rect',
        aria: false,
        from: { data: 'bars' },
        encode: {
          update: {
            x: { scale: 'x', value: 0 },
            x2: { scale: 'x', field: 'value' },
            y: { scale: 'y', field: 'place' },
            height: { scale: 'y', band: 1 },
            cornerRadius: { value: 2 },
            fill: { value: 'var(--plot)' },
          },
        },
      },
      {
        type: 'text',
        aria: false,
        from: { data: 'bars' },
        encode: {
          update: {
            ...beside,
            ...font,
            ...middle,
            fill: { value: 'var(--muted)' },
          },
        },
      },
    ],
  };
}

import { parse, View, type Spec } from 'vega';
import type { CurvePoint } from './curves.js';

/** A diagram with a curve for each set; both axes are shares from 0 to 1. */
export interface Diagram {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  /** The lower end of the vertical axis. */
  readonly from: number;
  /** Whether to draw the line on which both axes are equal. */
  readonly diagonal: boolean;
  readonly points: readonly CurvePoint[];
}

/** Draws a diagram as SVG on a white background, so that it can be read on a dark page too. */
export async function draw(diagram: Diagram): Promise<string> {
  const view = new View(parse(specOf(diagram)), { renderer: 'none' });
  try {
    return `${await view.toSVG()}\n`;
  } finally {
    view.finalize();
  }
}

// Distinguishable without color vision, and by their marks.
const COLOURS = ['#1b6ca8', '#c05621', '#3d7a3a', '#7b4fa3'];
const SHAPES = ['circle', 'square', 'diamond', 'triangle-up'];

function specOf({ title, x, y, from, diagonal, points }: Diagram): Spec {
  const sets = [...new Set(points.map(({ set }) => set))];
  const axis = {
    grid: true,
    gridColor: '#e3e3e3',
    domainColor: '#888',
    tickColor: '#888',
    format: '.0%',
    tickCount: 6,
  };
  const place = { x: { scale: 'x', field: 'x' }, y: { scale: 'y', field: 'y' } } as const;
  const colour = { scale: 'colour', field: 'set' } as const;
  return {
    description: title,
    width: 340,
    height: 300,
    padding: 12,
    background: 'white',
    title: { text: title, anchor: 'start', fontSize: 14 },
    data: [
      { name: 'points', values: points.map(rounded) },
      {
        name: 'equal',
        values: diagonal
          ? [
              { x: from, y: from },
              { x: 1, y: 1 },
            ]
          : [],
      },
    ],
    scales: [
      { name: 'x', type: 'linear', domain: [0, 1], range: 'width' },
      { name: 'y', type: 'linear', domain: [from, 1], range: 'height', zero: false },
      { name: 'colour', type: 'ordinal', domain: sets, range: COLOURS },
      { name: 'shape', type: 'ordinal', domain: sets, range: SHAPES },
    ],
    axes: [
      { ...axis, orient: 'bottom', scale: 'x', title: x },
      { ...axis, orient: 'left', scale: 'y', title: y },
    ],
    legends: [{ fill: 'colour', shape: 'shape', orient: 'bottom-right', fillColor: 'white', padding: 6 }],
    marks: [
      {
        type: 'line',
        from: { data: 'equal' },
        encode: { update: { ...place, stroke: { value: '#888' }, strokeDash: { value: [4, 4] } } },
      },
      {
        type: 'group',
        clip: true,
        from: { facet: { name: 'curve', data: 'points', groupby: 'set' } },
        encode: { update: { width: { signal: 'width' }, height: { signal: 'height' } } },
        marks: [
          {
            type: 'line',
            from: { data: 'curve' },
            encode: { update: { ...place, stroke: colour, strokeWidth: { value: 2 } } },
          },
          {
            type: 'symbol',
            from: { data: 'curve' },
            encode: {
              update: { ...place, fill: colour, shape: { scale: 'shape', field: 'set' }, size: { value: 28 } },
            },
          },
        ],
      },
    ],
  };
}

const rounded = ({ set, x, y }: CurvePoint): CurvePoint => ({ set, x: Number(x.toFixed(3)), y: Number(y.toFixed(3)) });

import type { Axis } from '../rendering/measures.js';

/** What a plot shows. Values are for the eye; labels are the exact numbers as text. */
export type Plot = TimePlot | BarPlot;

/** One measure over hours or days. */
export interface TimePlot {
  readonly kind: 'time';
  /** Amounts of a time are columns that begin at nothing; rates are a line, broken where there is no rate. */
  readonly mark: 'columns' | 'line';
  readonly axis: Axis;
  readonly points: readonly Point[];
}

export interface Point {
  /** The hour or day, as on the axis: `21 Nov`. */
  readonly at: string;
  /** Null: nothing to divide by. */
  readonly value: number | null;
  /** Shown when pointed at. */
  readonly label: string;
}

/** One measure by name. */
export interface BarPlot {
  readonly kind: 'bars';
  readonly width: number;
  /** How much of the width is for names. */
  readonly names: number;
  readonly bars: readonly { readonly name: string; readonly value: number; readonly label: string }[];
}

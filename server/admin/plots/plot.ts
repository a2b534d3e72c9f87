import type { Axis } from '../rendering/measures.js';

/** A plot's content. Values may be rounded; labels are the exact numbers as text. */
export type Plot = TimePlot | BarPlot;

/** One measure over hours or days. */
export interface TimePlot {
  readonly kind: 'time';
  /** Amounts per hour or day are columns that start at zero; rates are a line, with gaps where there is no rate. */
  readonly mark: 'columns' | 'line';
  readonly axis: Axis;
  readonly points: readonly Point[];
}

export interface Point {
  /** The hour or day in words, such as `21 Nov`. */
  readonly at: string;
  /** The axis's label below it; null: none, since only some fit. */
  readonly tick: string | null;
  /** Null: a rate without a denominator. */
  readonly value: number | null;
  /** Shown when the pointer is over it. */
  readonly label: string;
}

/** One measure by name. */
export interface BarPlot {
  readonly kind: 'bars';
  readonly width: number;
  /** The width of the names. */
  readonly names: number;
  readonly bars: readonly { readonly name: string; readonly value: number; readonly label: string }[];
}

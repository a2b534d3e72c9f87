import type { Axis } from '../rendering/measures.js';

/** One measure over hours or days. Values may be rounded; labels are the exact numbers as text. */
export interface Plot {
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

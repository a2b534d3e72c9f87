import type { Spec } from 'vega';
import { barsSpec } from './bars-spec.js';
import type { Plot } from './plot.js';
import { timeSpec } from './time-spec.js';

/**
 * A plot as a Vega specification. Colours are the page's custom properties and classes come from marks' names, so that
 * the page's one style sheet draws it light or dark; nothing in it is an inline style, which the page's policy forbids.
 */
export function specOf(plot: Plot): Spec {
  return {
    $schema: 'https://vega.github.io/schema/vega/v6.json',
    ...(plot.kind === 'time' ? timeSpec(plot) : barsSpec(plot)),
  };
}

import { parentPort } from 'node:worker_threads';
import { parse, type Spec, View } from 'vega';
import { answerRequests } from '../../../platform/threads/answer.js';
import type { Plot } from './plot.js';
import { timeSpec } from './time-spec.js';

export interface PlotTasks {
  /** Returns an `<svg>` element. */
  draw(plot: Plot): Promise<string>;
}

answerRequests<PlotTasks>(parentPort!, { draw }, { failureOf: String });

async function draw(plot: Plot): Promise<string> {
  const view = new View(parse(specOf(plot)), { renderer: 'none' });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}

/**
 * Returns a plot as a Vega specification. Colours are the page's custom properties and classes come from the marks'
 * names, so that the page's style sheet applies to it in light and dark. It has no inline styles, which the page's
 * policy forbids.
 */
export function specOf(plot: Plot): Spec {
  return {
    $schema: 'https://vega.github.io/schema/vega/v6.json',
    ...timeSpec(plot),
  };
}

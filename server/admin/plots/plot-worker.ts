import { parentPort } from 'node:worker_threads';
import { parse, type Spec, View } from 'vega';
import type { Plot } from './plot.js';
import { timeSpec } from './time-spec.js';

/** A request to the thread, and its answer: an `<svg>` element, or why there is none. */
export interface DrawRequest {
  readonly number: number;
  readonly plot: Plot;
}
export type DrawReply = { readonly number: number } & ({ readonly svg: string } | { readonly failed: string });

parentPort?.on('message', ({ number, plot }: DrawRequest) => {
  draw(plot).then(
    (svg) => answer({ number, svg }),
    (error: unknown) => answer({ number, failed: String(error) }),
  );
});

async function draw(plot: Plot): Promise<string> {
  const view = new View(parse(specOf(plot)), { renderer: 'none' });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}

function answer(message: DrawReply): void {
  parentPort?.postMessage(message);
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

import { parentPort } from 'node:worker_threads';
import { parse, View } from 'vega';
import type { Plot } from './plot.js';
import { specOf } from './spec.js';

/** What is asked of the thread, and what it answers: an `<svg>` element, or why there is none. */
export interface DrawRequest {
  readonly number: number;
  readonly plot: Plot;
}
export type DrawAnswer = { readonly number: number } & ({ readonly svg: string } | { readonly failed: string });

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

function answer(message: DrawAnswer): void {
  parentPort?.postMessage(message);
}

import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { ThreadRequests } from '../../../platform/threads/requests.js';
import type { Plot } from './plot.js';
import type { PlotTasks } from './plot-worker.js';

/** Draws plots in a thread: one takes up to 60 ms, which no request should wait for. */
export interface Plots {
  /** Returns an `<svg>` element; empty when it could not be drawn, which is logged: the page is shown without it. */
  draw(plot: Plot): Promise<string>;
  close(): Promise<void>;
}

/** A page waits no longer than this for a plot. */
const MAX_WAIT_MS = 5000;

/** Starts the thread with the first plot, so that a server whose dashboard is not used does not load the library. */
export function createPlots(log: Pick<Logger, 'error'>): Plots {
  let thread: ThreadRequests<PlotTasks> | undefined;

  const start = (): ThreadRequests<PlotTasks> => {
    const worker = new Worker(new URL('./plot-worker.js', import.meta.url));
    worker.unref();
    worker.on('error', (error) => log.error({ err: error }, 'the plot thread failed'));
    return new ThreadRequests(worker, { ended: 'the plot thread ended' });
  };

  return {
    async draw(plot) {
      if (thread === undefined || thread.hasEnded) thread = start();
      try {
        return await thread.ask('draw', plot, { signal: AbortSignal.timeout(MAX_WAIT_MS) });
      } catch (error) {
        const { name, message } = error as Error;
        const reason = name === 'TimeoutError' ? 'it took too long' : message;
        log.error({ reason }, 'a plot could not be drawn');
        return '';
      }
    },
    async close() {
      await thread?.worker.terminate();
    },
  };
}

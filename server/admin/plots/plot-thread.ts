import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Plot } from './plot.js';
import type { DrawReply, DrawRequest } from './plot-worker.js';

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
  let worker: Worker | undefined;
  let number = 0;
  const waiting = new Map<number, (answer: Pick<DrawReply, never> & { svg?: string; failed?: string }) => void>();

  const start = (): Worker => {
    const started = new Worker(new URL('./plot-worker.js', import.meta.url));
    started.unref();
    started.on('message', (answer: DrawReply) => waiting.get(answer.number)?.(answer));
    started.on('error', (error) => log.error({ err: error }, 'the plot thread failed'));
    started.on('exit', () => {
      worker = undefined;
      for (const end of waiting.values()) end({ failed: 'the plot thread ended' });
    });
    return started;
  };

  return {
    async draw(plot) {
      worker ??= start();
      const mine = ++number;
      const { svg, failed } = await new Promise<{ svg?: string; failed?: string }>((resolve) => {
        waiting.set(mine, resolve);
        setTimeout(() => resolve({ failed: 'it took too long' }), MAX_WAIT_MS).unref();
        worker?.postMessage({ number: mine, plot } satisfies DrawRequest);
      });
      waiting.delete(mine);
      if (failed !== undefined) log.error({ reason: failed }, 'a plot could not be drawn');
      return svg ?? '';
    },
    async close() {
      await worker?.terminate();
    },
  };
}

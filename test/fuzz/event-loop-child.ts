import { openSync, readSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** What the parent is told about the server's main thread since it last said `begin`. */
export interface Measured {
  /** Longest delay of the event loop, in milliseconds, waiting for a core included. */
  readonly delayMs: number;
  /** The same without the time in which the thread was ready to run and another process had the core. */
  readonly ownDelayMs: number;
  readonly rssBytes: number;
  /** After a collection. */
  readonly heapBytes: number;
}

/** How often the loop is looked at, in milliseconds. */
const EVERY_MS = 5;

/**
 * Loaded into a server before its own code (`--import`). On a machine that others use too, what the event loop waits for
 * may be a core: the kernel says how long, and that is no fault of the server.
 */
function watch(): void {
  const histogram = monitorEventLoopDelay({ resolution: EVERY_MS });
  histogram.enable();
  const waitedMs = waitingForCore();
  let [last, waited, ownDelayMs] = [performance.now(), waitedMs(), 0];
  setInterval(() => {
    const [now, waitedNow] = [performance.now(), waitedMs()];
    ownDelayMs = Math.max(ownDelayMs, now - last - EVERY_MS - (waitedNow - waited));
    [last, waited] = [now, waitedNow];
  }, EVERY_MS).unref();

  process.on('message', (message) => {
    if (message === 'begin') {
      histogram.reset();
      [last, waited, ownDelayMs] = [performance.now(), waitedMs(), 0];
      return;
    }
    const found = { delayMs: histogram.max / 1e6, ownDelayMs };
    (globalThis as { gc?: () => void }).gc?.();
    // The collection was ours, not the server's.
    [last, waited] = [performance.now(), waitedMs()];
    const { rss, heapUsed } = process.memoryUsage();
    process.send?.({ ...found, rssBytes: rss, heapBytes: heapUsed } satisfies Measured);
  });
  process.channel?.unref();
}

/** How long the main thread has waited for a core so far, in milliseconds; always 0 where the kernel does not say. */
function waitingForCore(): () => number {
  const bytes = Buffer.alloc(128);
  try {
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    return () => Number(bytes.toString('latin1', 0, readSync(file, bytes, 0, 128, 0)).split(' ')[1]) / 1e6;
  } catch {
    return () => 0;
  }
}

if (isMainThread) watch();

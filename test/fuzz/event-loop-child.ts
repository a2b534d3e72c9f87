import { openSync, readSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** What the parent is told about the server's main thread since it last said `begin`. */
export interface Measured {
  /** Longest delay of the event loop in milliseconds, by the clock: waiting for a core, a lock or a disk is included. */
  readonly delayMs: number;
  /** Longest time that the main thread has computed between two looks at it, in milliseconds. */
  readonly busyMs: number;
  readonly rssBytes: number;
  /** After a collection. */
  readonly heapBytes: number;
}

/** How often the loop is looked at, in milliseconds. */
const EVERY_MS = 5;

/**
 * Loaded into a server before its own code (`--import`). By the clock, a loop also stands still while other processes have
 * the cores; what the kernel has counted as the thread's own is the server's.
 */
function watch(): void {
  const histogram = monitorEventLoopDelay({ resolution: EVERY_MS });
  histogram.enable();
  const computedMs = computedByThread();
  let [last, busyMs] = [computedMs(), 0];
  setInterval(() => {
    const now = computedMs();
    busyMs = Math.max(busyMs, now - last);
    last = now;
  }, EVERY_MS).unref();

  process.on('message', (message) => {
    if (message === 'begin') {
      histogram.reset();
      [last, busyMs] = [computedMs(), 0];
      return;
    }
    const found = { delayMs: histogram.max / 1e6, busyMs };
    (globalThis as { gc?: () => void }).gc?.();
    // The collection was ours, not the server's.
    last = computedMs();
    const { rss, heapUsed } = process.memoryUsage();
    process.send?.({ ...found, rssBytes: rss, heapBytes: heapUsed } satisfies Measured);
  });
  // A driver that was killed leaves no server behind.
  process.on('disconnect', () => process.exit(1));
  process.channel?.unref();
}

/** How long the main thread has computed so far, in milliseconds; where the kernel does not say, the clock. */
function computedByThread(): () => number {
  const bytes = Buffer.alloc(128);
  try {
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    return () => Number(bytes.toString('latin1', 0, readSync(file, bytes, 0, 128, 0)).split(' ')[0]) / 1e6;
  } catch {
    return () => performance.now();
  }
}

if (isMainThread) watch();

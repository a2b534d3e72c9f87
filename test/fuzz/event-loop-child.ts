import { openSync, readSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** Measurements of the server's main thread since the parent last sent `begin`. */
export interface Measured {
  /** Longest delay of the event loop in elapsed milliseconds, including waits for a core, a lock or a disk. */
  readonly delayMs: number;
  /** Longest processor time of the main thread between two samples, in milliseconds. */
  readonly busyMs: number;
  readonly rssBytes: number;
  /** After garbage collection. */
  readonly heapBytes: number;
}

/** Interval between samples, in milliseconds. */
const EVERY_MS = 5;

/**
 * Measures the event loop. Loaded into a server before its own code (`--import`). Elapsed time also passes while other
 * processes have the cores; only the thread's processor time, as counted by the kernel, is due to the server.
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
    // The collection was requested by the test, so it is not counted.
    last = computedMs();
    const { rss, heapUsed } = process.memoryUsage();
    process.send?.({ ...found, rssBytes: rss, heapBytes: heapUsed } satisfies Measured);
  });
  // If the driver is killed, the server ends too.
  process.on('disconnect', () => process.exit(1));
  process.channel?.unref();
}

/**
 * Returns a function that reads the main thread's processor time in milliseconds, or elapsed time if the kernel does
 * not report it.
 */
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

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Number of items processed between two turns of the event loop: about a millisecond of work. */
export const BATCH = 2000;

/** Processes items in order, and yields to the event loop between batches. */
export async function inBatches<T>(items: Iterable<T>, use: (item: T) => void): Promise<void> {
  let done = 0;
  for (const item of items) {
    use(item);
    if (++done % BATCH === 0) await nextTurn();
  }
}

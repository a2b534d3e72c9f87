import { setImmediate as nextTurn } from 'node:timers/promises';

/** How many of a large catalogue are gone through between two turns of the event loop: about a millisecond's work. */
export const TURN = 2000;

/** Uses one after the other; whatever else waits comes between two turns. */
export async function inTurns<T>(items: Iterable<T>, use: (item: T) => void): Promise<void> {
  let done = 0;
  for (const item of items) {
    use(item);
    if (++done % TURN === 0) await nextTurn();
  }
}

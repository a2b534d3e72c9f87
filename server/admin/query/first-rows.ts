import { inBatches, BATCH } from '../../../platform/time/in-batches.js';

/** Keeps the first `count` of any number of items in an order; of equal items those that were added first. */
export class FirstRows<T> {
  #kept: T[] = [];

  constructor(
    readonly count: number,
    readonly compare: (one: T, other: T) => number,
  ) {}

  add(item: T): void {
    this.#kept.push(item);
    // Sorting a whole catalogue at once would block the event loop.
    if (this.#kept.length >= this.count + BATCH) this.#kept = this.sorted();
  }

  sorted(): T[] {
    return this.#kept.toSorted(this.compare).slice(0, this.count);
  }
}

/** Returns the first `count` items in an order, in turns: as `toSorted().slice(0, count)`. */
export async function firstRows<T>(
  items: Iterable<T>,
  count: number,
  compare: (one: T, other: T) => number,
): Promise<T[]> {
  const first = new FirstRows(count, compare);
  await inBatches(items, (item) => first.add(item));
  return first.sorted();
}

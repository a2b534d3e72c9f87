/**
 * A queue of future actions by simulated time. Actions of the same moment run in the order in which they were added.
 */
export interface EventQueue {
  /** Milliseconds since the start. */
  readonly now: number;
  /** @param delay milliseconds from now */
  after(delay: number, happen: () => void): void;
  /** Runs all actions up to a moment, and sets `now` to it. */
  run(until: number): void;
}

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly happen: () => void;
}

export function createEventQueue(): EventQueue {
  const heap: Entry[] = [];
  let now = 0;
  let added = 0;
  return {
    get now() {
      return now;
    },
    after: (delay, happen) => push(heap, { at: now + delay, order: added++, happen }),
    run(until) {
      while (heap.length > 0 && heap[0]!.at <= until) {
        const { at, happen } = pop(heap);
        now = at;
        happen();
      }
      now = until;
    },
  };
}

const isBefore = (one: Entry, other: Entry): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);

function push(heap: Entry[], entry: Entry): void {
  let place = heap.length;
  for (; place > 0; place = (place - 1) >> 1) {
    const parent = heap[(place - 1) >> 1]!;
    if (!isBefore(entry, parent)) break;
    heap[place] = parent;
  }
  heap[place] = entry;
}

/** Removes the first entry of a non-empty heap. */
function pop(heap: Entry[]): Entry {
  const first = heap[0]!;
  const last = heap.pop()!;
  if (heap.length === 0) return first;
  let place = 0;
  for (;;) {
    let child = 2 * place + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
    if (!isBefore(heap[child]!, last)) break;
    heap[place] = heap[child]!;
    place = child;
  }
  heap[place] = last;
  return first;
}

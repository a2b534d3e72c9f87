/** What happens next, by simulated time. Those of one moment happen in the order in which they were added. */
export interface EventQueue {
  /** Milliseconds since the beginning. */
  readonly now: number;
  /** @param delay milliseconds from now on */
  after(delay: number, happen: () => void): void;
  /** Lets everything happen up to a moment, which is now afterwards. */
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

/** The first of a heap that is not empty. */
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

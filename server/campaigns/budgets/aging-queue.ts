/** A queue that reports each item, in insertion order, when it is late and again when it expires. */
export interface AgingQueue<T> {
  /** Adds an item. @param since the current time */
  add(item: T, since: number): void;
  /** Reports the items that are late or have expired at this time. */
  advance(time: number): void;
}

export interface AgingOptions<T> {
  readonly lateAfterMs: number;
  readonly expiresAfterMs: number;
  /** Max number of items; beyond it the oldest expire. */
  readonly maxItems: number;
  readonly onLate: (item: T) => void;
  readonly onExpired: (item: T) => void;
}

export function createAgingQueue<T>({
  lateAfterMs,
  expiresAfterMs,
  maxItems,
  onLate,
  onExpired,
}: AgingOptions<T>): AgingQueue<T> {
  let queue: { readonly item: T; readonly since: number }[] = [];
  /** Items before `late` were reported as late, items before `expired` as expired too. */
  let [late, expired] = [0, 0];

  const isOlder = (place: number, than: number, time: number): boolean => {
    const entry = queue[place];
    return entry !== undefined && time - entry.since >= than;
  };
  return {
    add: (item, since) => void queue.push({ item, since }),
    advance(time) {
      while (isOlder(late, lateAfterMs, time)) onLate(queue[late++]!.item);
      while (isOlder(expired, expiresAfterMs, time) || queue.length - expired > maxItems)
        onExpired(queue[expired++]!.item);
      late = Math.max(late, expired);
      if (expired < 1000 || expired < queue.length / 2) return;
      queue = queue.slice(expired);
      [late, expired] = [late - expired, 0];
    },
  };
}

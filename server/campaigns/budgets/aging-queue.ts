/** Things in the order in which they came, each handed over when it is late, and once more when it is given up. */
export interface AgingQueue<T> {
  /** @param since the time now */
  add(item: T, since: number): void;
  /** Hands over what has aged by now. */
  advance(time: number): void;
}

export interface AgingOptions<T> {
  readonly lateAfterMs: number;
  readonly goneAfterMs: number;
  /** Beyond so many the oldest are given up. */
  readonly most: number;
  readonly onLate: (item: T) => void;
  readonly onGone: (item: T) => void;
}

export function createAgingQueue<T>({
  lateAfterMs,
  goneAfterMs,
  most,
  onLate,
  onGone,
}: AgingOptions<T>): AgingQueue<T> {
  let queue: { readonly item: T; readonly since: number }[] = [];
  /** Those before `late` were handed over once, those before `gone` twice. */
  let [late, gone] = [0, 0];

  const isOlder = (place: number, than: number, time: number): boolean => {
    const entry = queue[place];
    return entry !== undefined && time - entry.since >= than;
  };
  return {
    add: (item, since) => void queue.push({ item, since }),
    advance(time) {
      while (isOlder(late, lateAfterMs, time)) onLate(queue[late++]!.item);
      while (isOlder(gone, goneAfterMs, time) || queue.length - gone > most) onGone(queue[gone++]!.item);
      late = Math.max(late, gone);
      if (gone < 1000 || gone < queue.length / 2) return;
      queue = queue.slice(gone);
      [late, gone] = [late - gone, 0];
    },
  };
}

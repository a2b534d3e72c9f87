/** Does what belongs together one after the other, in the order in which it was asked for. */
export interface Lanes {
  inOrder(lane: string, work: () => Promise<void>): Promise<void>;
}

export function createLanes(): Lanes {
  const lasts = new Map<string, Promise<void>>();
  return {
    inOrder(lane, work) {
      const next = (lasts.get(lane) ?? Promise.resolve()).then(work);
      lasts.set(lane, next);
      return next;
    },
  };
}

/** When something was wrong that the test did. */
export interface Troubles {
  /** Something is wrong for as long as this takes. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Whether anything was wrong since a moment of `performance.now()`. */
  since(moment: number): boolean;
}

export function createTroubles(): Troubles {
  let standing = 0;
  let endedAt = -Infinity;
  return {
    async during(work) {
      standing++;
      try {
        return await work();
      } finally {
        standing--;
        endedAt = performance.now();
      }
    },
    since: (moment) => standing > 0 || endedAt > moment,
  };
}

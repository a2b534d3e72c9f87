/** Keeps track of the times at which a fault made by the test was in effect. */
export interface Troubles {
  /** Runs a fault, and marks it as in effect until the work ends. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Returns whether any fault was in effect since a moment of `performance.now()`. */
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

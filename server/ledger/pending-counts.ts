import type { Count } from './batch.js';

/** Counts that wait to be written, equal ones added up. */
export interface PendingCounts {
  add(count: Count): void;
  /** Hands over everything; what could not be written is added again. */
  take(): Count[];
  readonly size: number;
}

export function createPendingCounts(): PendingCounts {
  let waiting = new Map<string, Count>();
  return {
    add(count) {
      const { minute, dimensionSet, counted, reason } = count;
      const cell = JSON.stringify([minute, counted, reason, dimensionSet]);
      const before = waiting.get(cell);
      waiting.set(cell, before === undefined ? count : { ...count, times: before.times + count.times });
    },
    take() {
      const taken = [...waiting.values()];
      waiting = new Map();
      return taken;
    },
    get size() {
      return waiting.size;
    },
  };
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Caller } from '../calls/caller.js';

/** Whoever reaches nobody who counts waits a little. */
const AGAIN_AFTER_MS = 150;

/**
 * A proxy that reaches no node answers 502 by itself, and one that is slow to pass a request on is told 408: what became of
 * the request at the nodes that it tried, nobody knows.
 */
export function throughProxy({ call, close }: Caller): Caller {
  return {
    async call(path, options) {
      const answer = await call(path, options);
      const told = answer !== null && [408, 502].includes(answer.status) ? null : answer;
      if (told === null || told.status === 503) await pause(AGAIN_AFTER_MS);
      return told;
    },
    close,
  };
}

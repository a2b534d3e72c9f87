import { setTimeout as pause } from 'node:timers/promises';
import type { Caller } from '../calls/caller.js';

/** Pause before the next call when no node could count an event. */
const AGAIN_AFTER_MS = 150;

/**
 * Treats the proxy's own 502 (no node reachable) and 408 (the request arrived too slowly) as no reply, because it is
 * unknown what the nodes did with the request.
 */
export function throughProxy({ call, close }: Caller): Caller {
  return {
    async call(path, options) {
      const answer = await call(path, options);
      const reply = answer !== null && [408, 502].includes(answer.status) ? null : answer;
      if (reply === null || reply.status === 503) await pause(AGAIN_AFTER_MS);
      return reply;
    },
    close,
  };
}

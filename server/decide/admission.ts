import { type Client, FairQueue } from './fair-queue.js';

/** Limits how many match requests run at once to what the encoder can handle; the rest are queued or refused. */
export interface Admission {
  /** How many requests are queued. */
  readonly waiting: number;
  /** Whether a request from this client would be refused now. */
  isFull(client: Client): boolean;
  /**
   * Runs `work` when it is the client's turn.
   *
   * @param signal aborted once the client no longer waits for the result: `work` then does not start
   * @throws OverloadedError when the queue is full, the request is displaced by another client's, or it waits too long;
   * the signal's reason
   */
  run<T>(client: Client, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

/** Too many match requests are queued; try again after `retryAfterSeconds`. */
export class OverloadedError extends Error {
  readonly retryAfterSeconds = 1;
  constructor() {
    super('too many requests are queued');
    this.name = 'OverloadedError';
  }
}

/** Target for the estimated wait in the queue, in milliseconds. It sets the queue's length. */
const WAIT_MS = 400;
/** A request that has waited this long is refused. */
const MAX_WAIT_MS = 2000;

/** Bounds on the queue's length. */
const MIN_QUEUED = 8;
const MAX_QUEUED = 256;

interface Waiting {
  readonly begin: () => void;
  readonly refuse: (reason: Error) => void;
}

/**
 * Creates the admission queue for match requests.
 *
 * @param slots how many requests run at once; two per encoder thread keep it busy while one is on the event loop
 * @param clock milliseconds since an arbitrary origin
 */
export function createAdmission(slots: number, clock: () => number = () => performance.now()): Admission {
  const queue = new FairQueue<Waiting>();
  /** Moving average over about twenty requests of how long one runs once started, in milliseconds. */
  let averageRunMs = 50;
  let running = 0;

  const isFull = (): boolean => {
    const targetLength = Math.ceil((slots * WAIT_MS) / averageRunMs);
    return queue.size >= Math.min(MAX_QUEUED, Math.max(MIN_QUEUED, targetLength));
  };

  const next = (): void => {
    while (running < slots) {
      const waiting = queue.shift();
      if (waiting === undefined) return;
      running++;
      waiting.begin();
    }
  };

  const turn = (client: Client, signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    if (running < slots) {
      running++;
      return Promise.resolve();
    }
    if (isFull()) {
      const displaced = queue.findDisplaceable(client);
      if (displaced === undefined) return Promise.reject(new OverloadedError());
      queue.remove(displaced.client, displaced.item);
      displaced.item.refuse(new OverloadedError());
    }
    return new Promise((resolve, reject) => {
      const giveUp = (reason: Error): void => {
        if (queue.remove(client, waiting)) waiting.refuse(reason);
      };
      const limit = setTimeout(giveUp, MAX_WAIT_MS, new OverloadedError());
      const onAbort = (): void => giveUp(signal.reason as Error);
      const cleanUp = (): void => {
        clearTimeout(limit);
        signal.removeEventListener('abort', onAbort);
      };
      const waiting: Waiting = {
        begin: () => (cleanUp(), resolve()),
        refuse: (reason) => (cleanUp(), reject(reason)),
      };
      signal.addEventListener('abort', onAbort);
      queue.push(client, waiting);
    });
  };

  return {
    get waiting() {
      return queue.size;
    },
    isFull: (client) => running >= slots && isFull() && queue.findDisplaceable(client) === undefined,
    async run(client, signal, work) {
      await turn(client, signal);
      const begun = clock();
      try {
        const result = await work();
        averageRunMs += (clock() - begun - averageRunMs) / 20;
        return result;
      } finally {
        running--;
        next();
      }
    },
  };
}

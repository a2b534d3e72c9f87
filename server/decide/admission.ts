import { EncoderBusyError } from '../../models/encoder/encoder.js';
import { type Caller, FairQueue } from './fair-queue.js';

/** Lets requests begin whole, as many as the encoder has room for; the others wait their turn, or are refused. */
export interface Admission {
  /** Requests that wait. */
  readonly waiting: number;
  /** Whether a request of this caller would be refused now. */
  isFull(caller: Caller): boolean;
  /**
   * Runs `work` when it is the caller's turn.
   *
   * @param signal aborted once nobody waits for it: then it does not begin
   * @throws EncoderBusyError when too many wait already, or it gave way to others; the signal's reason
   */
  run<T>(caller: Caller, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

/** So long may a request wait, in milliseconds, as far as can be foreseen, and whatever happens. */
const WAIT_MS = 400;
const LONGEST_WAIT_MS = 2000;

const FEWEST_PLACES = 8;
const MOST_PLACES = 256;

interface Waiting {
  readonly begin: () => void;
  readonly refuse: (reason: Error) => void;
}

/**
 * @param slots how many requests run at once; two for each encoder thread keep it busy while one is on the event loop
 * @param clock milliseconds since anything
 */
export function createAdmission(slots: number, clock: () => number = () => performance.now()): Admission {
  const queue = new FairQueue<Waiting>();
  /** How long a request takes from its beginning, in milliseconds; follows the last twenty or so. */
  let takesMs = 50;
  let running = 0;

  const isFull = (): boolean => {
    const foreseen = Math.ceil((slots * WAIT_MS) / takesMs);
    return queue.size >= Math.min(MOST_PLACES, Math.max(FEWEST_PLACES, foreseen));
  };

  const next = (): void => {
    while (running < slots) {
      const waiting = queue.shift();
      if (waiting === undefined) return;
      running++;
      waiting.begin();
    }
  };

  const turn = (caller: Caller, signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    if (running < slots) {
      running++;
      return Promise.resolve();
    }
    if (isFull()) {
      const most = queue.most(caller);
      if (most === undefined) return Promise.reject(new EncoderBusyError());
      queue.remove(most.of, most.item);
      most.item.refuse(new EncoderBusyError());
    }
    return new Promise((resolve, reject) => {
      const giveUp = (reason: Error): void => {
        if (queue.remove(caller, waiting)) waiting.refuse(reason);
      };
      const limit = setTimeout(giveUp, LONGEST_WAIT_MS, new EncoderBusyError());
      const onAbort = (): void => giveUp(signal.reason as Error);
      const over = (): void => {
        clearTimeout(limit);
        signal.removeEventListener('abort', onAbort);
      };
      const waiting: Waiting = {
        begin: () => (over(), resolve()),
        refuse: (reason) => (over(), reject(reason)),
      };
      signal.addEventListener('abort', onAbort);
      queue.push(caller, waiting);
    });
  };

  return {
    get waiting() {
      return queue.size;
    },
    isFull: (caller) => running >= slots && isFull() && queue.most(caller) === undefined,
    async run(caller, signal, work) {
      await turn(caller, signal);
      const begun = clock();
      try {
        const result = await work();
        takesMs += (clock() - begun - takesMs) / 20;
        return result;
      } finally {
        running--;
        next();
      }
    },
  };
}

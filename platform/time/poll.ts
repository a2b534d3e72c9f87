export interface PollOptions {
  /** Pause between the end of one look and the next, in milliseconds. */
  readonly everyMs: number;
  /** The pause lasts at least so many times what the last look took; default 0. */
  readonly restFactor?: number;
  /** Called with what a look threw; the next one comes all the same. */
  readonly onError: (error: unknown) => void;
}

export interface Polling {
  /** Looks at once; after a look under way, once more. */
  wake(): void;
  /** Ends it; waits for a look under way. */
  close(): Promise<void>;
}

/** Looks again and again, never twice at once, without keeping the process alive. The first look comes after a pause. */
export function poll(look: () => Promise<void>, { everyMs, restFactor = 0, onError }: PollOptions): Polling {
  let closed = false;
  let woken = false;
  let wake = (): void => undefined;
  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds).unref();
      wake = () => (clearTimeout(timer), resolve());
    });
  const run = async (): Promise<void> => {
    for (let took = 0; ;) {
      if (!woken && !closed) await pause(Math.max(everyMs, took * restFactor));
      if (closed) return;
      woken = false;
      const began = performance.now();
      await look().catch(onError);
      took = performance.now() - began;
    }
  };
  const running = run();
  return {
    wake() {
      woken = true;
      wake();
    },
    async close() {
      closed = true;
      wake();
      await running;
    },
  };
}

export interface PollOptions {
  /** Pause between the end of one run and the start of the next, in milliseconds. */
  readonly everyMs: number;
  /** The pause lasts at least this many times the duration of the last run; default 0. */
  readonly restFactor?: number;
  /** Called with the error of a run; polling continues. */
  readonly onError: (error: unknown) => void;
}

export interface Polling {
  /** Runs at once; during a run, runs again after it. */
  wake(): void;
  /** Stops polling; waits for a run in progress. */
  close(): Promise<void>;
}

/**
 * Runs `look` repeatedly, never twice at once, without keeping the process alive. The first run comes after a pause.
 */
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

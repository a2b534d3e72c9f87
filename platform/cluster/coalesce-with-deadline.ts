export interface CoalesceOptions {
  /** How long a call waits, in milliseconds. */
  readonly waitMs?: number;
  /** The minimum interval between the starts of two refreshes, in milliseconds, regardless of the number of calls. */
  readonly everyMs?: number;
}

/**
 * Coalesces calls for a refresh that brings this node up to date. Each call waits, until its deadline, for a refresh
 * that starts after the call; all waiting calls share that refresh. It includes everything that was committed before
 * the call.
 *
 * @param refresh never runs twice at once
 * @returns a function that resolves to whether the refresh succeeded in time
 */
export function coalesceWithDeadline(
  refresh: () => Promise<void>,
  { waitMs = 2000, everyMs = 250 }: CoalesceOptions = {},
): () => Promise<boolean> {
  let beganAt = -Infinity;
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<boolean> | null = null;
  const begin = async (): Promise<boolean> => {
    await running;
    await pause(beganAt + everyMs - performance.now());
    next = null;
    beganAt = performance.now();
    const refreshed = refresh().then(
      () => true,
      () => false,
    );
    running = refreshed;
    return refreshed;
  };
  return async () => {
    next ??= begin();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, waitMs, false)));
    return Promise.race([next, late]).finally(() => clearTimeout(timer));
  };
}

async function pause(milliseconds: number): Promise<void> {
  if (milliseconds > 0) await new Promise((resolve) => void setTimeout(resolve, milliseconds).unref());
}

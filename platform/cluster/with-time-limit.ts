/** Time limit for closing a connection. */
export const CLOSE_TIMEOUT_MS = 1000;

/**
 * Waits for a promise, but no longer than the given time: on a network that drops all packets, closing a connection
 * would take a quarter of an hour. What is still open then ends with the process.
 */
export async function withTimeLimit(milliseconds: number, ending: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([ending, over]).finally(() => clearTimeout(timer));
}

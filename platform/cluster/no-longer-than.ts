/** What a connection's end may take. */
export const END_MS = 1000;

/**
 * Waits for an end, but no longer than so many milliseconds: a network that swallows everything would keep a connection's end
 * for a quarter of an hour. What is not over by then ends with the process.
 */
export async function noLongerThan(milliseconds: number, ending: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([ending, over]).finally(() => clearTimeout(timer));
}

/** Runs a task and returns its result, and how many turns of the event loop began before it ended. */
export async function countTurns<T>(task: () => Promise<T>): Promise<{ readonly result: T; readonly turns: number }> {
  let turns = 0;
  const count = (): void => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  try {
    return { result: await task(), turns };
  } finally {
    clearImmediate(next);
  }
}

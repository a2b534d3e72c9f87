/** Wraps a task so that it never runs twice at once. Calls during a run share the next run. */
export function oneAtATime(task: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  // A pending next run starts a little later; until then, the task counts as running.
  const start = (): Promise<void> => {
    running = task().finally(() => {
      if (next === null) running = null;
    });
    return running;
  };
  return () => {
    if (running === null) return start();
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = null;
        return start();
      });
    return next;
  };
}

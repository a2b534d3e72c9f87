/** Of a task that may be asked for at any time: never twice at once, and whoever asks while it runs gets the next run. */
export function oneAtATime(task: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  // Where there is a next run, it begins a little later: until then it counts as running.
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

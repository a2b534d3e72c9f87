import { setTimeout as pause } from 'node:timers/promises';

/** Tries until it does not throw; after `withinMs` the last error stands. For what happens by itself, soon. */
export async function eventually(check: () => unknown, withinMs = 5000): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await pause(25);
    }
  }
}

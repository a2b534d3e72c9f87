import { setTimeout as pause } from 'node:timers/promises';

/** For what is promised within a second. Three times as long, for a machine that has other work to do as well. */
export const WITHIN_A_SECOND_MS = 3000;

/**
 * Tries until it does not throw; the error of a try that began after `withinMs` stands. For what happens by itself, soon.
 * A slow try that began before does not end it: what it looked at may have been too early.
 */
export async function eventually(check: () => unknown, withinMs = 5000): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const began = Date.now();
    try {
      await check();
      return;
    } catch (error) {
      if (began > deadline) throw error;
      await pause(25);
    }
  }
}

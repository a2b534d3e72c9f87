import { setTimeout as pause } from 'node:timers/promises';

/** Timeout for what is promised within a second: three times as long, for a busy machine. */
export const WITHIN_A_SECOND_MS = 3000;

/**
 * Retries until the check does not throw, for effects that occur soon. Throws the error of the first try that began
 * after `withinMs`. A slow try that began earlier does not end it, because what it saw may be outdated.
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

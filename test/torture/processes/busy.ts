import { setTimeout as pause } from 'node:timers/promises';

const BUSY = /timeout expired|connection timeout|read timeout|lock timeout|statement timeout|no answer within/i;

/** Returns whether an error is due to a busy machine that did not respond in time. */
export function wasBusy(text: string): boolean {
  return BUSY.test(text);
}

const TRIES = 10;

/**
 * Reads, and retries if the machine was too busy.
 *
 * @throws the last error
 */
export async function patiently<T>(read: () => T | Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await read();
    } catch (error) {
      if (tries === TRIES || !wasBusy((error as Error).message)) throw error;
      await pause(2000);
    }
  }
}

import { setTimeout as pause } from 'node:timers/promises';

const BUSY = /timeout expired|connection timeout|read timeout|lock timeout|statement timeout|no answer within/i;

/** Whether something failed because a machine that is busy with other things did not answer in time. */
export function wasBusy(text: string): boolean {
  return BUSY.test(text);
}

const TRIES = 10;

/** Does something that reads, again where the machine was too busy. @throws what it throws, at last */
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

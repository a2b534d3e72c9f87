import { renameSync, writeFileSync } from 'node:fs';

/** What `preload.ts` reads within every process and thread under torture. */
export interface Control {
  /** Added to the clock, in milliseconds. */
  readonly offsetMs: number;
  /** A thread ends with an error once the number of its name is higher than when it began. */
  readonly deaths: Readonly<Record<ThreadName, number>>;
}

export type ThreadName = 'ledger' | 'encoder';

/** The environment variable that names the file with a `Control`. */
export const CONTROL_FILE = 'TORTURE_CONTROL';

/** So long a process may take until it sees what was written, with something to spare. */
const SEEN_WITHIN_MS = 150;

/** The one clock of server, commands and callers, and the lives of threads. */
export interface World {
  /** Epoch milliseconds, as the server has them. */
  now(): number;
  /** Whether all processes agree on `now` since that moment of `performance.now()`. */
  settledSince(moment: number): boolean;
  /** Moves the clock. */
  step(ms: number): void;
  killThread(name: ThreadName): void;
}

/** @param file is written; the processes get it as `TORTURE_CONTROL` */
export function createWorld(file: string): World {
  let control: Control = { offsetMs: 0, deaths: { ledger: 0, encoder: 0 } };
  let steppedAt = -Infinity;
  const write = (next: Control): void => {
    control = next;
    writeFileSync(`${file}.tmp`, JSON.stringify(control));
    renameSync(`${file}.tmp`, file);
  };
  write(control);
  return {
    now: () => Date.now() + control.offsetMs,
    settledSince: (moment) => steppedAt + SEEN_WITHIN_MS < moment,
    step(ms) {
      write({ ...control, offsetMs: control.offsetMs + ms });
      steppedAt = performance.now();
    },
    killThread(name) {
      write({ ...control, deaths: { ...control.deaths, [name]: control.deaths[name] + 1 } });
    },
  };
}

import { renameSync, writeFileSync } from 'node:fs';

/** What `preload.ts` reads in every process and thread under torture. */
export interface Control {
  /** Added to the clock, in milliseconds. */
  readonly offsetMs: number;
  /** A thread throws once the count under its name exceeds the count at its start. */
  readonly deaths: Readonly<Record<ThreadName, number>>;
}

export type ThreadName = 'ledger' | 'encoder';

/** The environment variable that names the file with a `Control`. */
export const CONTROL_FILE = 'TORTURE_CONTROL';

/** How long a process may take to notice a change of the file, with some margin. */
const SEEN_WITHIN_MS = 150;

/** The clock shared by server, commands and callers, and a way to kill threads. */
export interface TortureControl {
  /** Returns epoch milliseconds by the server's clock. */
  now(): number;
  /** Returns whether all processes have agreed on `now` since that moment of `performance.now()`. */
  settledSince(moment: number): boolean;
  /** Moves the clock. */
  step(ms: number): void;
  killThread(name: ThreadName): void;
}

/** @param file path of the control file; processes get it as `TORTURE_CONTROL` */
export function createTortureControl(file: string): TortureControl {
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

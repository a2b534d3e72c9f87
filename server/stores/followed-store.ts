import { stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { poll } from '../../platform/time/poll.js';
import type { SharedStore } from './shared-store.js';

/** A store's content in this process, following what others write. */
export interface FollowedStore<T> {
  /** What was read last. */
  readonly current: T;
  /** Reads what is in the file now, without waiting for the next look. */
  look(): Promise<void>;
  close(): Promise<void>;
}

export interface FollowOptions<T> {
  readonly store: Pick<SharedStore<T>, 'path' | 'read'>;
  /** Called with every content that differs from the last. */
  readonly onChange?: (content: T) => void;
  readonly log: FollowLog;
  /** What the log calls it. */
  readonly name: string;
  /** How often the file is looked at, in milliseconds. */
  readonly pollMs: number;
}

/** Where changes and faults are logged; a pino logger is one. */
export interface FollowLog {
  info(details: object, message: string): void;
  error(details: object, message: string): void;
}

/**
 * Reads a store and follows it as it changes. A damaged or vanished file is logged, once, and the last good content stays;
 * it is read again at every look until that succeeds, since the fault may be this process's (no file descriptor left).
 *
 * @throws DamagedStoreError when the file is damaged at the start
 */
export async function followStore<T>(options: FollowOptions<T>): Promise<FollowedStore<T>> {
  const { store, onChange, log, name, pollMs } = options;
  let lastStamp = await stamp(store.path);
  let current = await store.read();
  let logged: string | null = null;
  // What is read later must not be put in the place of what was read since.
  let last: Promise<void> = Promise.resolve();
  const inTurn = (): Promise<void> => (last = last.then(follow, follow));
  const polling = poll(inTurn, {
    everyMs: pollMs,
    onError: (error) => report('stat', { err: error }, `${name}: following the file failed`),
  });

  return {
    get current() {
      return current;
    },
    look: inTurn,
    close: () => polling.close(),
  };

  async function follow(): Promise<void> {
    const now = await stamp(store.path);
    if (now === lastStamp) {
      logged = null;
      return;
    }
    if (now === ABSENT) {
      report(now, { file: store.path }, `${name}: the file is gone; what was read last stays in force`);
      return;
    }
    let content: Awaited<T>;
    try {
      content = await store.read();
    } catch (error) {
      report(now, { err: error }, `${name}: the file cannot be read; what was read last stays in force`);
      return;
    }
    // Only now: what could not be read was not seen.
    lastStamp = now;
    logged = null;
    // What was written between the look at the file and its reading is what was read then.
    if (isDeepStrictEqual(content, current)) return;
    current = content;
    onChange?.(current);
    log.info({ file: store.path }, `${name}: changed`);
  }

  /** The same state of the file has the same fault at every look. */
  function report(state: string, details: object, message: string): void {
    if (logged !== state) log.error(details, message);
    logged = state;
  }
}

const ABSENT = 'absent';

/** Changes whenever the file is replaced or edited in place. */
async function stamp(path: string): Promise<string> {
  try {
    const { mtimeNs, ctimeNs, size, ino } = await stat(path, { bigint: true });
    return `${mtimeNs}:${ctimeNs}:${size}:${ino}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ABSENT;
    throw error;
  }
}

import { isDeepStrictEqual } from 'node:util';
import { poll } from '../../platform/time/poll.js';
import { ABSENT } from './file-stamp.js';
import type { SharedStore } from './shared-store.js';

/** A store's content in this process, which follows changes by other processes. */
export interface FollowedStore<T> {
  /** The content as last read. */
  readonly current: T;
  /** Reads the file now, without waiting for the next poll. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

export interface FollowOptions<T> {
  readonly store: Pick<SharedStore<T>, 'path' | 'stamp' | 'read'>;
  /** Called with each content that differs from the previous one. */
  readonly onChange?: (content: T) => void;
  /** In use from the start until the file can be read; undefined: a damaged file is an error at the start. */
  readonly fallback?: T | undefined;
  readonly log: FollowLog;
  /** The store's name in the log. */
  readonly name: string;
  /** How often the file is checked, in milliseconds. */
  readonly pollMs: number;
}

/** A log for changes and faults; a pino logger is one. */
export interface FollowLog {
  info(details: object, message: string): void;
  error(details: object, message: string): void;
}

/**
 * Reads a store and follows its changes. A damaged or missing file is logged once, and the last good content stays in
 * use. The file is read again at every poll until that succeeds, since the fault may be this process's own (no file
 * descriptor left).
 *
 * @throws DamagedStoreError when the file is damaged at the start, and there is no `fallback`
 */
export async function followStore<T>(options: FollowOptions<T>): Promise<FollowedStore<T>> {
  const { store, onChange, fallback, log, name, pollMs } = options;
  /** Of the content as last read; null: it was never read. */
  let lastStamp: string | null = await store.stamp();
  let current: T;
  let logged: string | null = null;
  try {
    current = await store.read();
  } catch (error) {
    if (fallback === undefined) throw error;
    report(lastStamp, { err: error }, `${name}: the file cannot be read`);
    lastStamp = null;
    current = fallback;
  }
  // Reads run in sequence, so that an earlier one that finishes late does not replace newer content.
  let last: Promise<void> = Promise.resolve();
  const refresh = (): Promise<void> => (last = last.then(follow, follow));
  const polling = poll(refresh, {
    everyMs: pollMs,
    onError: (error) => report('stat', { err: error }, `${name}: following the file failed`),
  });

  return {
    get current() {
      return current;
    },
    refresh,
    close: () => polling.close(),
  };

  async function follow(): Promise<void> {
    const now = await store.stamp();
    if (now === lastStamp) {
      logged = null;
      return;
    }
    if (now === ABSENT) {
      report(now, { file: store.path }, `${name}: the file is gone; the last valid content stays in use`);
      return;
    }
    let content: Awaited<T>;
    try {
      content = await store.read();
    } catch (error) {
      report(now, { err: error }, `${name}: the file cannot be read; the last valid content stays in use`);
      return;
    }
    // Set only after a successful read: a file that could not be read must be read again.
    lastStamp = now;
    logged = null;
    // Content written between the check and the read was already read then.
    if (isDeepStrictEqual(content, current)) return;
    current = content;
    onChange?.(current);
    log.info({ file: store.path }, `${name}: changed`);
  }

  /** Logs a fault once per state of the file. */
  function report(state: string, details: object, message: string): void {
    if (logged !== state) log.error(details, message);
    logged = state;
  }
}

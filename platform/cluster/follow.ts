import type pg from 'pg';
import { openClient } from '../postgres/connection.js';
import { poll, type Polling } from '../time/poll.js';
import type { Cluster } from './cluster.js';
import { isDatabaseUnreachable } from './database-unreachable.js';
import { CLOSE_TIMEOUT_MS, withTimeLimit } from './with-time-limit.js';
import { oneAtATime } from './one-at-a-time.js';
import { CHANNEL } from './transaction.js';

/** A node that follows changes by other nodes. */
export interface ClusterFollowing {
  /** Milliseconds since the first look last succeeded: about a second at most while the database responds. */
  silentMs(): number;
  /** Stops following. Waits for a look in progress, but three seconds at most if the database does not respond. */
  close(): Promise<void>;
}

export interface FollowClusterOptions {
  /**
   * What to bring up to date. Each look runs independently, so that a large snapshot does not delay keys. A node is
   * ready only while its first look is up to date. The others may take minutes or fail; the node serves the earlier
   * data in the meantime.
   */
  readonly looks: readonly (() => Promise<void>)[];
  readonly log: Log;
  /** The interval between looks without a notification, in milliseconds. */
  readonly pollMs?: number;
}

interface Log {
  info(details: object, message: string): void;
  error(details: object, message: string): void;
}

const LOOK_MS = 2000;
/** A start waits for the listener; without this limit, a network that drops all packets would block it forever. */
const LISTEN_MS = 5000;

/**
 * Looks whenever another node announces a change, and also every second, because a listener can be lost without a sign.
 */
export async function followCluster(cluster: Cluster, options: FollowClusterOptions): Promise<ClusterFollowing> {
  const { looks, log, pollMs = 1000 } = options;
  const health = createHealth(log);
  const watched = looks.map((look) => health.watch(look));
  const [first] = watched;
  const polls: readonly Polling[] = watched.map(({ run, failed }) => poll(run, { everyMs: pollMs, onError: failed }));
  let listener: pg.Client | null = null;
  // The start and the poll may both open the listener; only one of them may do it at a time.
  const listen = oneAtATime(async () => {
    if (listener !== null) return;
    // The connection may be lost while it is being set up.
    let opened: pg.Client | null = null;
    let lost = false;
    const client = await openClient(cluster.url, { responseMs: LISTEN_MS }, () => {
      lost = true;
      if (listener === opened) listener = null;
    });
    opened = client;
    client.on('notification', () => polls.forEach((each) => each.wake()));
    try {
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
    if (lost) return;
    listener = client;
    // Announcements from before are not repeated.
    polls.forEach((each) => each.wake());
  });
  const { run, failed } = health.watch(listen);
  const listening = poll(run, { everyMs: pollMs, onError: failed });
  await run().catch(failed);
  return {
    silentMs: () => (first === undefined ? 0 : performance.now() - first.endedWellAt()),
    async close() {
      await withTimeLimit(LOOK_MS, Promise.all([listening.close(), ...polls.map((each) => each.close())]));
      if (listener !== null) await withTimeLimit(CLOSE_TIMEOUT_MS, listener.end());
    },
  };
}

/** A task whose outcomes are tracked. */
interface Watched {
  run(): Promise<void>;
  /** Handles an error of `run`. */
  failed(error: unknown): void;
  /** When a run last succeeded, or when tracking began; milliseconds of `performance.now()`. */
  endedWellAt(): number;
}

/**
 * Logs once, over all tasks, that the database is unreachable, and once that it is back for all of them; likewise each
 * other fault, such as a full disk, and that none is left.
 */
function createHealth(log: Log): { watch(task: () => Promise<void>): Watched } {
  const away = new Set<object>();
  const faults = new Map<object, string>();
  return {
    watch(task) {
      const self = {};
      let wellAt = performance.now();
      const isBack = (): void => {
        if (away.delete(self) && away.size === 0) log.info({}, 'the database answers again');
      };
      return {
        async run() {
          await task();
          wellAt = performance.now();
          isBack();
          if (faults.delete(self) && faults.size === 0) log.info({}, 'shared data can be copied again');
        },
        failed(error) {
          if (isDatabaseUnreachable(error)) {
            const message = 'the database does not answer; the last copy stays in force';
            if (away.size === 0) log.error({ err: error }, message);
            away.add(self);
            return;
          }
          isBack();
          // A full or read-only disk refuses every copy: one line, not one for each file.
          const { code } = error as { readonly code?: unknown };
          const fault = typeof code === 'string' ? code : String(error);
          const isKnown = [...faults.values()].includes(fault);
          faults.set(self, fault);
          if (!isKnown) log.error({ err: error }, 'shared data cannot be copied into DATA_DIR');
        },
        endedWellAt: () => wellAt,
      };
    },
  };
}

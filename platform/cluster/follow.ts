import type pg from 'pg';
import { openClient } from '../postgres/connection.js';
import { poll, type Polling } from '../time/poll.js';
import type { Cluster } from './cluster.js';
import { isDatabaseAway } from './database-away.js';
import { END_MS, noLongerThan } from './no-longer-than.js';
import { oneAtATime } from './one-at-a-time.js';
import { CHANNEL } from './transaction.js';

/** A node that follows what the others change. */
export interface ClusterFollowing {
  /** How long ago the first look ended well, in milliseconds: about a second at most, while the database answers. */
  silentMs(): number;
  /** Ends it; waits for a look under way, and three seconds at most where the database does not answer. */
  close(): Promise<void>;
}

export interface FollowClusterOptions {
  /**
   * What is brought up to date, each by itself: a large snapshot keeps no key back. The first must be up to date on a node that
   * answers; another may take minutes or fail, and what was there before it serves meanwhile.
   */
  readonly looks: readonly (() => Promise<void>)[];
  readonly log: Log;
  /** How often is looked without being told, in milliseconds. */
  readonly pollMs?: number;
}

interface Log {
  info(details: object, message: string): void;
  error(details: object, message: string): void;
}

const LOOK_MS = 2000;
/** A start waits for the listener; a network that swallows everything would keep it for ever. */
const LISTEN_MS = 5000;

/** Looks when another node announces a change, and each second all the same: a listener may be lost without a sign. */
export async function followCluster(cluster: Cluster, options: FollowClusterOptions): Promise<ClusterFollowing> {
  const { looks, log, pollMs = 1000 } = options;
  const health = createHealth(log);
  const watched = looks.map((look) => health.watch(look));
  const [first] = watched;
  const polls: readonly Polling[] = watched.map(({ run, failed }) => poll(run, { everyMs: pollMs, onError: failed }));
  let listener: pg.Client | null = null;
  // The start opens it, and the poll meanwhile must not open another.
  const listen = oneAtATime(async () => {
    if (listener !== null) return;
    // It may be lost again while it is being opened.
    let opened: pg.Client | null = null;
    let lost = false;
    const client = await openClient(cluster.url, { answerMs: LISTEN_MS }, () => {
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
    // What was announced before is not told again.
    polls.forEach((each) => each.wake());
  });
  const { run, failed } = health.watch(listen);
  const listening = poll(run, { everyMs: pollMs, onError: failed });
  await run().catch(failed);
  return {
    silentMs: () => (first === undefined ? 0 : performance.now() - first.endedWellAt()),
    async close() {
      await noLongerThan(LOOK_MS, Promise.all([listening.close(), ...polls.map((each) => each.close())]));
      if (listener !== null) await noLongerThan(END_MS, listener.end());
    },
  };
}

/** A task whose ends are watched. */
interface Watched {
  run(): Promise<void>;
  /** Takes what a run threw. */
  failed(error: unknown): void;
  /** When a run ended well last, or it was first watched; milliseconds of `performance.now()`. */
  endedWellAt(): number;
}

/**
 * Logs once that the database went away, by whichever task notices it, and once that it is back for all of them; what else goes
 * wrong, such as a full disk, once for each task until that ends well.
 */
function createHealth(log: Log): { watch(task: () => Promise<void>): Watched } {
  const away = new Set<object>();
  return {
    watch(task) {
      const self = {};
      let wellAt = performance.now();
      let fault: string | null = null;
      const isBack = (): void => {
        if (away.delete(self) && away.size === 0) log.info({}, 'the database answers again');
      };
      return {
        async run() {
          await task();
          wellAt = performance.now();
          fault = null;
          isBack();
        },
        failed(error) {
          if (isDatabaseAway(error)) {
            const message = 'the database does not answer; what was read of it last stays in force';
            if (away.size === 0) log.error({ err: error }, message);
            away.add(self);
            return;
          }
          isBack();
          const text = String(error);
          if (fault !== text) {
            log.error({ err: error }, 'what nodes share cannot be copied; what was copied last stays in force');
          }
          fault = text;
        },
        endedWellAt: () => wellAt,
      };
    },
  };
}

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
  /** How long ago the database answered last, in milliseconds: about a second at most, while it does. */
  silentMs(): number;
  /** Ends it; waits for a look under way, and three seconds at most where the database does not answer. */
  close(): Promise<void>;
}

export interface FollowClusterOptions {
  /** What is brought up to date, each by itself: a large snapshot keeps no key back. */
  readonly looks: readonly (() => Promise<void>)[];
  readonly log: { info(details: object, message: string): void; error(details: object, message: string): void };
  /** How often is looked without being told, in milliseconds. */
  readonly pollMs?: number;
}

const LOOK_MS = 2000;
/** A start waits for the listener; a network that swallows everything would keep it for ever. */
const LISTEN_MS = 5000;

/** Looks when another node announces a change, and each second all the same: a listener may be lost without a sign. */
export async function followCluster(cluster: Cluster, options: FollowClusterOptions): Promise<ClusterFollowing> {
  const { looks, log, pollMs = 1000 } = options;
  let answeredAt = performance.now();
  let away = false;
  const answered = (): void => {
    answeredAt = performance.now();
    if (away) log.info({}, 'the database answers again');
    away = false;
  };
  /** What else went wrong last, such as a full disk: logged once. */
  let fault: string | null = null;
  const failed = (error: unknown): void => {
    if (isDatabaseAway(error)) {
      if (!away) log.error({ err: error }, 'the database does not answer; what was read of it last stays in force');
      away = true;
      return;
    }
    const message = String(error);
    if (fault !== message)
      log.error({ err: error }, 'what nodes share cannot be copied; what was copied last stays in force');
    fault = message;
  };
  const polls: readonly Polling[] = looks.map((look) =>
    poll(() => look().then(answered), { everyMs: pollMs, onError: failed }),
  );
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
  const listening = poll(listen, { everyMs: pollMs, onError: failed });
  await listen().catch(failed);
  return {
    silentMs: () => performance.now() - answeredAt,
    async close() {
      await noLongerThan(LOOK_MS, Promise.all([listening.close(), ...polls.map((each) => each.close())]));
      if (listener !== null) await noLongerThan(END_MS, listener.end());
    },
  };
}

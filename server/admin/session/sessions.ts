import { createHash, randomBytes } from 'node:crypto';
import { createMonotonicClock } from '../../../platform/time/monotonic-clock.js';
import type { PageSession } from '../rendering/show.js';
import type { Context } from 'koa';

export const IDLE_MS = 2 * 3_600_000;
export const MAX_AGE_MS = 12 * 3_600_000;
/** Of one access token: bounds the memory, and lets nobody sign out the holders of other tokens. */
export const MAX_SESSIONS = 100;

interface StoredSession extends PageSession {
  readonly startedAt: number;
  usedAt: number;
}

export interface Sessions {
  /**
   * Opens a session. @param tokenId the access token it is opened with @returns its random id, which is kept in the
   * cookie alone
   */
  create(tokenId: string): Promise<string>;
  find(id: string | undefined): Promise<PageSession | undefined>;
  /** Stores the notices that a page has added to or removed from a session. */
  saveNotices(id: string | undefined, session: PageSession): Promise<void>;
  end(id: string | undefined): Promise<void>;
}

/**
 * Keeps sessions in this process's memory: a restart signs all operators out, and a copy of the disk gives no access.
 * Sessions end after 2 hours without use, and after 12 hours in any case.
 *
 * @param wallClock epoch milliseconds; sessions do not last longer because it was ahead for a while
 */
export function createSessions(wallClock: () => number): Sessions {
  const monotonicTime = createMonotonicClock();
  const clock = (): number => monotonicTime(wallClock());
  // Keyed by digest, so that the time of a look-up reveals nothing about existing ids.
  const sessions = new Map<string, StoredSession>();
  return {
    async create(tokenId) {
      const now = clock();
      for (const [digest, session] of sessions) if (isOver(session, now)) sessions.delete(digest);
      const [oldest, ...others] = [...sessions].flatMap(([digest, session]) =>
        session.tokenId === tokenId ? digest : [],
      );
      if (oldest !== undefined && others.length + 1 >= MAX_SESSIONS) sessions.delete(oldest);
      const id = randomText();
      const digest = digestOf(id);
      sessions.set(digest, {
        id: digest.slice(0, 8),
        tokenId,
        formToken: randomText(),
        notices: [],
        startedAt: now,
        usedAt: now,
      });
      return id;
    },
    async find(id) {
      const session = id === undefined ? undefined : sessions.get(digestOf(id));
      if (session === undefined || isOver(session, clock())) return undefined;
      session.usedAt = clock();
      return session;
    },
    saveNotices: async () => undefined,
    async end(id) {
      if (id !== undefined) sessions.delete(digestOf(id));
    },
  };
}

function isOver({ startedAt, usedAt }: StoredSession, now: number): boolean {
  return now - usedAt >= IDLE_MS || now - startedAt >= MAX_AGE_MS;
}

export function randomText(): string {
  return randomBytes(32).toString('base64url');
}

function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

const NAME = 'adjacent_admin';

/** The cookie with a session's id. */
export interface SessionCookie {
  read(ctx: Context): string | undefined;
  write(ctx: Context, id: string): void;
  clear(ctx: Context): void;
}

/** @param base absolute address of the dashboard, such as `https://ads.example/admin` */
export function sessionCookie(base: URL): SessionCookie {
  const secure = base.protocol === 'https:' ? '; Secure' : '';
  const attributes = `; Path=${base.pathname}; HttpOnly; SameSite=Strict${secure}`;
  return {
    read: (ctx) => ctx.cookies.get(NAME),
    // Set by hand: Koa refuses Secure where the proxy terminates TLS.
    write: (ctx, id) => ctx.append('Set-Cookie', `${NAME}=${id}${attributes}`),
    clear: (ctx) => ctx.append('Set-Cookie', `${NAME}=; Max-Age=0${attributes}`),
  };
}

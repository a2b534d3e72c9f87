import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Type } from 'typebox';
import { appendDurably } from '../../platform/files/append-durably.js';
import { replaceDurably, syncPath } from '../../platform/files/durable.js';
import { checker } from '../../models/schema/check.js';
import { elapsedMs } from '../../platform/time/elapsed.js';
import type { UsageEvent } from '../ledger/tables/ledger.js';

/** The spool's file within DATA_DIR. */
export const SPOOL_FILE = 'waiting-events.jsonl';

/**
 * Clicks of people who were sent on while the ledger could not store them, kept on the disk until it does; with them the
 * impressions and views of that time, which clicks may need.
 */
export interface EventSpool {
  /**
   * Resolves once the event is on the disk. The second half of the room is for clicks alone.
   *
   * @param held it is not due before `release`
   * @throws Error when too many wait, or the disk refuses it
   */
  add(event: UsageEvent, held?: boolean): Promise<void>;
  /** The ledger has answered to this very event, or could not. */
  release(event: UsageEvent): void;
  /** Those that wait, the oldest first. */
  waiting(): readonly UsageEvent[];
  /** Those of them that are to be handed over: the ledger is not asked of any otherwise. */
  due(): readonly UsageEvent[];
  /** The ledger has counted it as ignored already, and need not do so again. Known to this process alone. */
  markIgnored(event: UsageEvent): void;
  isIgnored(event: UsageEvent): boolean;
  /** The ledger has these. Once none waits, the file goes; once most of it is stored, it is written anew. */
  remove(events: readonly UsageEvent[]): Promise<void>;
  /** Waits for what is being written. The file stays where clicks wait. */
  close(): Promise<void>;
}

export interface EventSpoolOptions {
  readonly file: string;
  readonly log: { error(details: object, message: string): void };
  /** So many are kept; more are refused. */
  readonly most?: number;
  /** From so many on that the ledger has, and as many as wait at least, these are taken out of the file. */
  readonly stale?: number;
  /** The clock by which events are dated, epoch milliseconds. */
  readonly now?: () => number;
}

/** About half a kilobyte each, in the file and in memory. */
const MOST = 100_000;
const STALE = 1000;

/**
 * Opens the spool with what an earlier run left in it. Events that the ledger has stay in the file until nothing waits, or until
 * they are most of it: one may come again after a crash, and is then `repeated`.
 */
export async function openEventSpool({
  file,
  log,
  most = MOST,
  stale = STALE,
  now = Date.now,
}: EventSpoolOptions): Promise<EventSpool> {
  const waiting = new Map<string, UsageEvent>();
  const inFile = new Set<string>();
  const ignored = new Set<string>();
  const heldBack = new Set<UsageEvent>();
  let additions: Addition[] = [];
  let last: Promise<unknown> = Promise.resolve();

  /** One access to the file at a time. */
  const inTurn = <T>(access: () => Promise<T>): Promise<T> => {
    const turn = last.then(access);
    last = turn.catch(() => undefined);
    return turn;
  };
  /** How long ago an earlier run has seen it, only the clock knows by which it is dated. */
  const asSeenHere = (event: UsageEvent): UsageEvent =>
    event.seenAt === undefined ? event : { ...event, seenAt: elapsedMs() - Math.max(0, now() - event.at) };
  const takeOver = async (): Promise<void> => {
    const { events, damaged } = await readEvents(file);
    for (const event of events.filter((each) => !inFile.has(keyOf(each)))) {
      inFile.add(keyOf(event));
      waiting.set(keyOf(event), asSeenHere(event));
    }
    if (damaged > 0) log.error({ file, damaged }, 'waiting clicks: lines that cannot be read are left out');
  };
  /** All that came while the file was busy shares one write. */
  const append = async (): Promise<void> => {
    const batch = additions;
    additions = [];
    if (batch.length === 0) return;
    try {
      await appendDurably(
        file,
        batch.map(({ event }) => JSON.stringify(event)),
      );
      for (const { event, held, resolve } of batch) {
        inFile.add(keyOf(event));
        waiting.set(keyOf(event), event);
        if (held) heldBack.add(event);
        resolve();
      }
    } catch (error) {
      for (const { reject } of batch) reject(error as Error);
    }
  };
  const mayBeCleared = (): boolean => {
    const stored = inFile.size - waiting.size;
    return stored > 0 && (waiting.size === 0 || (stored >= stale && stored >= waiting.size));
  };
  /** A click that waits for minutes must not keep all that came since in the file, whose room has an end. */
  const clear = async (): Promise<void> => {
    if (!mayBeCleared()) return;
    // Another process may have added to it.
    await takeOver();
    if (!mayBeCleared()) return;
    if (waiting.size === 0) {
      await rm(file, { force: true });
      await syncPath(dirname(file));
    } else {
      await replaceDurably(file, [...waiting.values()].map((event) => `${JSON.stringify(event)}\n`).join(''), 0o600);
    }
    inFile.clear();
    for (const key of waiting.keys()) inFile.add(key);
  };

  await takeOver();
  // What a full disk cut off may be all that is there; where it cannot be deleted, it does no harm.
  if (inFile.size === 0) await rm(file, { force: true }).catch(() => undefined);
  return {
    add: (event, held = false) =>
      new Promise((resolve, reject) => {
        if (waiting.has(keyOf(event))) return resolve();
        const room = event.kind === 'click' ? most : most / 2;
        if (inFile.size + additions.length >= room) return reject(new Error(`${room} events wait already`));
        additions.push({ event, held, resolve, reject });
        void inTurn(append);
      }),
    release: (event) => void heldBack.delete(event),
    waiting: () => [...waiting.values()],
    due: () => [...waiting.values()].filter((event) => !heldBack.has(event)),
    markIgnored(event) {
      if (waiting.has(keyOf(event))) ignored.add(keyOf(event));
    },
    isIgnored: (event) => ignored.has(keyOf(event)),
    remove(events) {
      for (const event of events) {
        waiting.delete(keyOf(event));
        ignored.delete(keyOf(event));
      }
      return inTurn(clear);
    },
    close: () => inTurn(async () => undefined),
  };
}

/** The ledger's primary key. */
const keyOf = ({ id, kind }: UsageEvent): string => `${id} ${kind}`;

interface Addition {
  readonly event: UsageEvent;
  readonly held: boolean;
  resolve(): void;
  reject(error: Error): void;
}

/** What the ledger needs of a line at least; whatever else claims hold is taken as it is, since we wrote it. */
const Waiting = Type.Object({
  kind: Type.Union([Type.Literal('click'), Type.Literal('impression'), Type.Literal('view')]),
  id: Type.String({ pattern: '^[0-9a-f]{32}$' }),
  claims: Type.Object({ publisher: Type.String(), creative: Type.String(), test: Type.Boolean() }),
  at: Type.Integer({ minimum: 0 }),
});
const check = checker(Waiting);

async function readEvents(file: string): Promise<{ events: UsageEvent[]; damaged: number }> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const lines = text.split('\n').filter((line) => line !== '');
  const events = lines.flatMap((line) => readEvent(line) ?? []);
  return { events, damaged: lines.length - events.length };
}

function readEvent(line: string): UsageEvent | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return check(value).ok ? (value as UsageEvent) : undefined;
  } catch {
    return undefined;
  }
}

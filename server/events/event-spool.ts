import { rm } from 'node:fs/promises';
import { elapsedMs } from '../../platform/time/elapsed.js';
import type { UsageEvent } from '../ledger/tables/ledger.js';
import { appendEvents, keepDamaged, readEvents, rewriteEvents } from './spooled-events.js';

/** The spool's file in DATA_DIR. */
export const SPOOL_FILE = 'waiting-events.jsonl';

/**
 * Events kept on disk until the ledger can store them: clicks of people who were redirected while it could not, and the
 * impressions and views of that time, which those clicks may need.
 */
export interface EventSpool {
  /**
   * Resolves once the event is on disk. The second half of the capacity is for clicks only.
   *
   * @param held the event is not due before `release`
   * @throws Error when too many events wait or the disk refuses it
   */
  add(event: UsageEvent, held?: boolean): Promise<void>;
  /** The ledger has returned a result for this event, or failed to. */
  release(event: UsageEvent): void;
  /** Waiting events, oldest first. */
  waiting(): readonly UsageEvent[];
  /** Waiting events that are ready to be handed over: those for which no call to the ledger is running. */
  due(): readonly UsageEvent[];
  /**
   * Marks an event that the ledger has already counted as ignored, so that it is not counted again. Known to this
   * process only.
   */
  markIgnored(event: UsageEvent): void;
  isIgnored(event: UsageEvent): boolean;
  /**
   * Removes events that the ledger has stored. Deletes the file once no event waits, and rewrites it once most of its
   * events are stored.
   */
  remove(events: readonly UsageEvent[]): Promise<void>;
  /** Waits for running writes. Keeps the file if events still wait. */
  close(): Promise<void>;
}

export interface EventSpoolOptions {
  readonly file: string;
  readonly log: { error(details: object, message: string): void };
  /** Max number of events in the file; more are refused. */
  readonly maxEvents?: number;
  /**
   * Min number of stored events in the file before it is rewritten without them; they must also be at least as many as
   * those that wait.
   */
  readonly stale?: number;
  /** The clock that dates events, epoch milliseconds. */
  readonly now?: () => number;
}

/** Each event takes about half a kilobyte, in the file and in memory. */
const MAX_EVENTS = 100_000;
const STALE = 1000;

/**
 * Opens the spool with the events that an earlier run left in it. Stored events stay in the file until none waits or
 * most are stored. After a crash such an event may be handed over again; the ledger then calls it `repeated`.
 */
export async function openEventSpool({
  file,
  log,
  maxEvents = MAX_EVENTS,
  stale = STALE,
  now = Date.now,
}: EventSpoolOptions): Promise<EventSpool> {
  const waiting = new Map<string, UsageEvent>();
  const inFile = new Set<string>();
  const ignored = new Set<string>();
  const heldBack = new Set<UsageEvent>();
  let additions: Addition[] = [];
  /** False: the file still has unreadable lines that are nowhere else, so it is neither deleted nor rewritten. */
  let damagedAreKept = true;
  let last: Promise<unknown> = Promise.resolve();
  let refusing = false;

  /** Serialises access to the file. */
  const serialised = <T>(access: () => Promise<T>): Promise<T> => {
    const turn = last.then(access);
    last = turn.catch(() => undefined);
    return turn;
  };
  /**
   * Converts `seenAt` of an event from an earlier run: only the clock that dated the event shows how long ago that was.
   */
  const asSeenHere = (event: UsageEvent): UsageEvent =>
    event.seenAt === undefined ? event : { ...event, seenAt: elapsedMs() - Math.max(0, now() - event.at) };
  const takeOver = async (): Promise<void> => {
    const { events, damaged } = await readEvents(file);
    for (const event of events.filter((each) => !inFile.has(keyOf(each)))) {
      inFile.add(keyOf(event));
      waiting.set(keyOf(event), asSeenHere(event));
    }
    if (damaged.length === 0) return;
    log.error({ file, damaged: damaged.length }, 'waiting events: unreadable lines are skipped');
    damagedAreKept = await keepDamaged(file, damaged).then(
      () => true,
      (error: unknown) => {
        log.error({ err: error }, 'waiting events: unreadable lines stay in the file');
        return false;
      },
    );
  };
  /** Writes all events that arrived while the file was busy in one write. */
  const append = async (): Promise<void> => {
    const batch = additions;
    additions = [];
    if (batch.length === 0) return;
    try {
      await appendEvents(
        file,
        batch.map(({ event }) => event),
      );
      for (const { event, held, resolve } of batch) {
        inFile.add(keyOf(event));
        waiting.set(keyOf(event), event);
        if (held) heldBack.add(event);
        resolve();
      }
      refusing = false;
    } catch (error) {
      // Once, not for every event of a full disk.
      if (!refusing) log.error({ err: error, file }, 'waiting events: the disk refuses them');
      refusing = true;
      for (const { reject } of batch) reject(error as Error);
    }
  };
  const mayBeCleared = (): boolean => {
    const stored = inFile.size - waiting.size;
    return damagedAreKept && stored > 0 && (waiting.size === 0 || (stored >= stale && stored >= waiting.size));
  };
  /**
   * Removes stored events from the file. One click that waits for minutes must not keep all later events in the file,
   * whose capacity is limited.
   */
  const clear = async (): Promise<void> => {
    if (!mayBeCleared()) return;
    // Another process may have added events to the file.
    await takeOver();
    if (!mayBeCleared()) return;
    const kept = [...waiting.values()];
    await rewriteEvents(file, kept);
    // Not those that wait now: some of them may have been removed meanwhile.
    inFile.clear();
    for (const event of kept) inFile.add(keyOf(event));
  };

  await takeOver();
  // A file without a complete event is the rest of a write that a full disk cut short. If it cannot be deleted, it does
  // no harm.
  if (inFile.size === 0 && damagedAreKept) await rm(file, { force: true }).catch(() => undefined);
  return {
    add: (event, held = false) =>
      new Promise((resolve, reject) => {
        if (waiting.has(keyOf(event))) return resolve();
        const capacity = event.kind === 'click' ? maxEvents : maxEvents / 2;
        if (inFile.size + additions.length >= capacity) return reject(new Error(`${capacity} events wait already`));
        additions.push({ event, held, resolve, reject });
        void serialised(append);
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
      return serialised(clear);
    },
    close: () => serialised(async () => undefined),
  };
}

/** Returns the ledger's primary key of an event. */
const keyOf = ({ id, kind }: UsageEvent): string => `${id} ${kind}`;

interface Addition {
  readonly event: UsageEvent;
  readonly held: boolean;
  resolve(): void;
  reject(error: Error): void;
}

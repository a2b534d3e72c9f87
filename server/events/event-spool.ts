import { rm } from 'node:fs/promises';
import pLimit from 'p-limit';
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
export async function openEventSpool(options: EventSpoolOptions): Promise<EventSpool> {
  const spool = new FileSpool(options);
  await spool.open();
  return spool;
}

class FileSpool implements EventSpool {
  readonly #options: Required<EventSpoolOptions>;
  readonly #waiting = new Map<string, UsageEvent>();
  /** Keys of all events in the file, including those that the ledger has stored since. */
  readonly #inFile = new Set<string>();
  readonly #ignored = new Set<string>();
  readonly #heldBack = new Set<UsageEvent>();
  /** Events that wait for their turn to be written. */
  #additions: Addition[] = [];
  /** Serialises access to the file. */
  readonly #turns = pLimit(1);
  /** False: the file still has unreadable lines that are nowhere else, so it is neither deleted nor rewritten. */
  #damagedAreKept = true;
  #isRefusing = false;

  constructor(options: EventSpoolOptions) {
    this.#options = { maxEvents: MAX_EVENTS, stale: STALE, now: Date.now, ...options };
  }

  async open(): Promise<void> {
    await this.#takeOver();
    // A file without a complete event is the rest of a write that a full disk cut short. If it cannot be deleted, it
    // does no harm.
    if (this.#inFile.size > 0 || !this.#damagedAreKept) return;
    await rm(this.#options.file, { force: true }).catch(() => undefined);
  }

  add(event: UsageEvent, held = false): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.has(keyOf(event))) return resolve();
      const { maxEvents } = this.#options;
      const capacity = event.kind === 'click' ? maxEvents : maxEvents / 2;
      if (this.#inFile.size + this.#additions.length >= capacity) {
        return reject(new Error(`${capacity} events wait already`));
      }
      this.#additions.push({ event, held, resolve, reject });
      void this.#turns(() => this.#append());
    });
  }

  release(event: UsageEvent): void {
    this.#heldBack.delete(event);
  }

  waiting(): readonly UsageEvent[] {
    return [...this.#waiting.values()];
  }

  due(): readonly UsageEvent[] {
    return this.waiting().filter((event) => !this.#heldBack.has(event));
  }

  markIgnored(event: UsageEvent): void {
    if (this.#waiting.has(keyOf(event))) this.#ignored.add(keyOf(event));
  }

  isIgnored(event: UsageEvent): boolean {
    return this.#ignored.has(keyOf(event));
  }

  remove(events: readonly UsageEvent[]): Promise<void> {
    for (const event of events) {
      this.#waiting.delete(keyOf(event));
      this.#ignored.delete(keyOf(event));
    }
    return this.#turns(() => this.#clear());
  }

  close(): Promise<void> {
    return this.#turns(async () => undefined);
  }

  /** Reads events that this process has not added to the file: those of an earlier run, or of another process. */
  async #takeOver(): Promise<void> {
    const { file, log } = this.#options;
    const { events, damaged } = await readEvents(file);
    for (const event of events.filter((each) => !this.#inFile.has(keyOf(each)))) {
      this.#inFile.add(keyOf(event));
      this.#waiting.set(keyOf(event), this.#asSeenHere(event));
    }
    if (damaged.length === 0) return;
    log.error({ file, damaged: damaged.length }, 'waiting events: unreadable lines are skipped');
    this.#damagedAreKept = await keepDamaged(file, damaged).then(
      () => true,
      (error: unknown) => {
        log.error({ err: error }, 'waiting events: unreadable lines stay in the file');
        return false;
      },
    );
  }

  /**
   * Converts `seenAt` of an event from an earlier run: only the clock that dated the event shows how long ago that was.
   */
  #asSeenHere(event: UsageEvent): UsageEvent {
    if (event.seenAt === undefined) return event;
    return { ...event, seenAt: elapsedMs() - Math.max(0, this.#options.now() - event.at) };
  }

  /** Writes all events that arrived while the file was busy in one write. */
  async #append(): Promise<void> {
    const batch = this.#additions;
    this.#additions = [];
    if (batch.length === 0) return;
    const { file, log } = this.#options;
    try {
      await appendEvents(
        file,
        batch.map(({ event }) => event),
      );
    } catch (error) {
      // Once, not for every event of a full disk.
      if (!this.#isRefusing) log.error({ err: error, file }, 'waiting events: the disk refuses them');
      this.#isRefusing = true;
      for (const { reject } of batch) reject(error as Error);
      return;
    }
    this.#isRefusing = false;
    for (const { event, held, resolve } of batch) {
      this.#inFile.add(keyOf(event));
      this.#waiting.set(keyOf(event), event);
      if (held) this.#heldBack.add(event);
      resolve();
    }
  }

  /**
   * Removes stored events from the file. One click that waits for minutes must not keep all later events in the file,
   * whose capacity is limited.
   */
  async #clear(): Promise<void> {
    if (!this.#mayBeCleared()) return;
    // Another process may have added events to the file.
    await this.#takeOver();
    if (!this.#mayBeCleared()) return;
    const kept = this.waiting();
    await rewriteEvents(this.#options.file, kept);
    // Not those that wait now: some of them may have been removed meanwhile.
    this.#inFile.clear();
    for (const event of kept) this.#inFile.add(keyOf(event));
  }

  #mayBeCleared(): boolean {
    const [stored, waiting] = [this.#inFile.size - this.#waiting.size, this.#waiting.size];
    const areMost = stored >= this.#options.stale && stored >= waiting;
    return this.#damagedAreKept && stored > 0 && (waiting === 0 || areMost);
  }
}

/** Returns the ledger's primary key of an event. */
const keyOf = ({ id, kind }: UsageEvent): string => `${id} ${kind}`;

interface Addition {
  readonly event: UsageEvent;
  readonly held: boolean;
  resolve(): void;
  reject(error: Error): void;
}

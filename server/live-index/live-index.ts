import pLimit from 'p-limit';
import type { ServedSnapshot } from '../../models/snapshot/load-snapshot.js';
import type { Encoder } from '../../models/encoder/encoder.js';
import { oneAtATime } from '../../platform/cluster/one-at-a-time.js';
import { landingUrlsChangedAt, readLandingUrls } from '../../models/snapshot/landing-urls.js';
import type { VectorStore } from '../../models/pgvector/vector-store.js';
import { readPointer } from '../../models/snapshot/pointer.js';
import { inTurns } from '../../platform/time/in-turns.js';
import { poll, type Polling } from '../../platform/time/poll.js';
import type { FollowLog } from '../stores/followed-store.js';
import { loadVerified } from './load-verified.js';
import { nameCreatives, namedCreatives } from './named-creatives.js';

/** Starts loading the live snapshot in the background, and follows the pointer from then on. */
export function openLiveIndex(options: LiveIndexOptions): LiveIndex {
  return new PointerFollower(options);
}

/** The snapshot that answers matches, following the pointer by itself. */
export interface LiveIndex {
  /** What is live in this process; null before anything could be loaded. Hold it for one request, not longer. */
  current(): ServedSnapshot | null;
  /** Where a creative leads, those that left the catalogue within the click window included; null: unknown. */
  landingUrl(creativeId: string): string | null;
  /** Reads the table of landing addresses now, also while a snapshot is being loaded. @throws Error when it is damaged */
  learnLandingUrls(): Promise<void>;
  state(): LiveIndexState;
  /** Resolves once the pointer was read for the first time, whatever came of it. */
  readonly opened: Promise<void>;
  /** Stops following; waits for a load under way. */
  close(): Promise<void>;
}

/** For readiness: what is live, and why not something newer. */
export interface LiveIndexState {
  readonly live: {
    readonly id: string;
    readonly name: string;
    readonly builtAt: string;
    readonly creatives: number;
  } | null;
  /** Id of the snapshot that is being loaded. */
  readonly loading: string | null;
  /** The snapshot that the pointer names but that could not be used. */
  readonly refused: { readonly id: string; readonly reason: string } | null;
}

export interface LiveIndexOptions {
  readonly dataDir: string;
  readonly encoder: Encoder;
  readonly log: FollowLog;
  /** Where vectors are searched; absent or null: in memory. */
  readonly vectors?: VectorStore | null;
  /** Milliseconds from any moment on, which no change of the machine's clock touches. */
  readonly elapsed?: () => number;
}

/** How often the pointer is read: a small file, so that a new snapshot goes live at once. */
const POLL_MS = 250;
/** A refused snapshot is tried again after this long: the fault may have been the disk's. */
const RETRY_AFTER_MS = 30_000;

/** Polls the pointer, loads what it names, and swaps one reference. */
class PointerFollower implements LiveIndex {
  readonly opened: Promise<void>;
  #current: ServedSnapshot | null = null;
  #loading: string | null = null;
  #refused: LiveIndexState['refused'] = null;
  #refusedAt = -Infinity;
  readonly #elapsed: () => number;
  /** Only ever grows: an address once answered is good for a click as long as the process lives. */
  readonly #landingUrls = new Map<string, string>();
  #tableRead: number | null = null;
  /** The table that could not be read, logged once. */
  #tableRefused: number | null = null;
  readonly #polling: Promise<Polling>;
  /** Who writes them, one after the other: the live snapshot's addresses go before the table's. */
  readonly #addresses = pLimit(1);
  readonly #learning = oneAtATime(() => this.#readLandingUrls());

  constructor(readonly options: LiveIndexOptions) {
    this.#elapsed = options.elapsed ?? (() => performance.now());
    this.opened = this.#look();
    const onError = (error: unknown): void => this.#refuse('', error);
    this.#polling = this.opened.then(() => poll(() => this.#look(), { everyMs: POLL_MS, onError }));
  }

  current(): ServedSnapshot | null {
    return this.#current;
  }

  landingUrl(creativeId: string): string | null {
    return this.#landingUrls.get(creativeId) ?? null;
  }

  learnLandingUrls(): Promise<void> {
    return this.#learning();
  }

  state(): LiveIndexState {
    const live = this.#current;
    return {
      live: live && {
        id: live.id,
        name: live.manifest.name,
        builtAt: live.manifest.builtAt,
        creatives: live.creatives.length,
      },
      loading: this.#loading,
      refused: this.#refused,
    };
  }

  async close(): Promise<void> {
    await (await this.#polling).close();
  }

  /** Reads pointer and table once; never throws, since the next poll tries again. */
  async #look(): Promise<void> {
    try {
      await this.#tryLandingUrls();
      const [id] = await readPointer(this.options.dataDir);
      if (id === undefined || id === this.#current?.id) this.#refused = null;
      else if (this.#isWorthTrying(id)) await this.#load(id);
    } catch (error) {
      this.#refuse('', error);
    }
  }

  #isWorthTrying(id: string): boolean {
    return this.#refused?.id !== id || this.#elapsed() - this.#refusedAt >= RETRY_AFTER_MS;
  }

  async #load(id: string): Promise<void> {
    const started = this.#elapsed();
    this.#loading = id;
    try {
      const { dataDir, encoder, vectors = null } = this.options;
      const snapshot = await loadVerified(dataDir, id, encoder, vectors);
      await nameCreatives(snapshot);
      await this.#addresses(async () => {
        await inTurns(snapshot.creatives, ({ id, landingUrl }) => this.#landingUrls.set(id, landingUrl));
        this.#current = snapshot;
      });
      this.#refused = null;
      const details = { snapshot: id, creatives: snapshot.creatives.length, ms: Math.round(this.#elapsed() - started) };
      this.options.log.info(details, 'snapshot is live');
    } catch (error) {
      this.#refuse(id, error);
    } finally {
      this.#loading = null;
    }
  }

  #refuse(id: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const known = this.#refused?.id === id && this.#refused.reason === reason;
    this.#refused = { id, reason };
    this.#refusedAt = this.#elapsed();
    if (!known) this.options.log.error({ snapshot: id, reason, live: this.#current?.id ?? null }, 'snapshot refused');
  }

  /** Tried again at the next poll: the fault may pass. */
  async #tryLandingUrls(): Promise<void> {
    const modified = await landingUrlsChangedAt(this.options.dataDir);
    await this.#learning().catch((error: unknown) => {
      // The live snapshot knows its own addresses: only clicks on what has left suffer.
      if (modified !== this.#tableRefused)
        this.options.log.error({ reason: String(error) }, 'landing addresses cannot be read');
      this.#tableRefused = modified;
    });
  }

  async #readLandingUrls(): Promise<void> {
    const modified = await landingUrlsChangedAt(this.options.dataDir);
    if (modified === this.#tableRead) return;
    const { creatives } = await readLandingUrls(this.options.dataDir);
    this.#tableRead = modified;
    await this.#addresses(async () => {
      const live = this.#current && namedCreatives(this.#current).ids;
      await inTurns(creatives, ([id, { landingUrl }]) =>
        this.#landingUrls.set(id, live?.get(id)?.landingUrl ?? landingUrl),
      );
    });
  }
}

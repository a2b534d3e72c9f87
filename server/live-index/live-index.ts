import { type ServedSnapshot, verifySnapshot } from '../../models/snapshot/load-snapshot.js';
import { snapshotDirectory } from '../../models/snapshot/layout.js';
import type { Creative } from '../../models/schema/creative.js';
import type { Encoder } from '../../models/encoder/encoder.js';
import type { VectorStore } from '../../models/pgvector/vector-store.js';
import { readPointer } from '../../models/snapshot/pointer.js';
import { poll, type Polling } from '../../platform/time/poll.js';
import type { FollowLog } from '../stores/followed-store.js';
import { LandingUrlTable } from './landing-url-table.js';
import { loadVerified } from './load-verified.js';
import { buildCreativeMaps } from './creative-maps.js';
import { buildNameKeys } from './name-keys.js';
import { negativeKeywordsOf } from './negative-keywords.js';

/** Starts loading the live snapshot in the background and follows the pointer from then on. */
export function openLiveIndex(options: LiveIndexOptions): LiveIndex {
  return new PointerFollower(options);
}

/** The snapshot from which this process serves ads; it follows the pointer. */
export interface LiveIndex {
  /** Returns the snapshot that is live in this process; null until one is loaded. Use it for one request only. */
  current(): ServedSnapshot | null;
  /**
   * Returns a creative's landing URL, also if the creative left the catalogue within the click window; null:
   * unknown.
   */
  landingUrl(creativeId: string): string | null;
  /**
   * Reads the table of landing URLs now, even while a snapshot is being loaded.
   *
   * @throws Error when the table is damaged
   */
  refreshLandingUrls(): Promise<void>;
  state(): LiveIndexState;
  /**
   * Loads and verifies a snapshot as if it were to go live, and keeps it so that a publication does not load it again.
   * With vectors searched in the database, only checks the snapshot's files.
   *
   * @returns its creatives
   * @throws SnapshotFaultError when it must not go live
   */
  prepare(id: string): Promise<readonly Creative[]>;
  /** Releases the prepared snapshot after one more look at the pointer, which starts at once and may make it live. */
  forgetPrepared(): void;
  /** Resolves once the first attempt to read the pointer and load its snapshot has ended, whatever its result. */
  readonly opened: Promise<void>;
  /** Stops following; waits for a load in progress. */
  close(): Promise<void>;
}

/** State for readiness: what is live, and why nothing newer is. */
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
  /** Milliseconds since an arbitrary moment, unaffected by changes of the machine's clock. */
  readonly elapsed?: () => number;
}

/** How often the pointer, a small file, is read: often enough that a new snapshot goes live at once. */
const POLL_MS = 250;
/** A refused snapshot is tried again after this long: the fault may have been the disk's. */
const RETRY_AFTER_MS = 30_000;

/** Polls the pointer, loads the snapshot that it names, and swaps one reference. */
class PointerFollower implements LiveIndex {
  readonly opened: Promise<void>;
  #current: ServedSnapshot | null = null;
  #loading: string | null = null;
  #prepared: { readonly snapshot: ServedSnapshot; forgotten: boolean } | null = null;
  #refused: LiveIndexState['refused'] = null;
  #refusedAt = -Infinity;
  readonly #elapsed: () => number;
  readonly #landingUrls: LandingUrlTable;
  readonly #polling: Promise<Polling>;

  constructor(readonly options: LiveIndexOptions) {
    this.#landingUrls = new LandingUrlTable(options.dataDir, () => this.#current, options.log);
    this.#elapsed = options.elapsed ?? (() => performance.now());
    this.opened = this.#look();
    const onError = (error: unknown): void => this.#refuse('', error);
    this.#polling = this.opened.then(() => poll(() => this.#look(), { everyMs: POLL_MS, onError }));
  }

  current(): ServedSnapshot | null {
    return this.#current;
  }

  landingUrl(creativeId: string): string | null {
    return this.#landingUrls.of(creativeId);
  }

  refreshLandingUrls(): Promise<void> {
    return this.#landingUrls.refresh();
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

  async prepare(id: string): Promise<readonly Creative[]> {
    const { dataDir, encoder, vectors = null } = this.options;
    if (vectors !== null) return (await verifySnapshot(snapshotDirectory(dataDir, id), encoder)).creatives;
    const snapshot = await this.#read(id);
    this.#prepared = { snapshot, forgotten: false };
    // If it was refused a moment ago, the next poll need not wait.
    if (this.#refused?.id === id) this.#refused = null;
    return snapshot.creatives;
  }

  forgetPrepared(): void {
    if (this.#prepared === null) return;
    this.#prepared.forgotten = true;
    void this.#polling.then((polling) => polling.wake());
  }

  async close(): Promise<void> {
    await (await this.#polling).close();
  }

  /** Reads pointer and table once. Never throws, since the next poll tries again. */
  async #look(): Promise<void> {
    const forgotten = this.#prepared?.forgotten ? this.#prepared : null;
    try {
      await this.#landingUrls.tryRefresh();
      const [id] = await readPointer(this.options.dataDir);
      if (id === undefined || id === this.#current?.id) this.#refused = null;
      else if (this.#isWorthTrying(id)) await this.#load(id);
    } catch (error) {
      this.#refuse('', error);
    }
    if (this.#prepared === forgotten) this.#prepared = null;
  }

  #isWorthTrying(id: string): boolean {
    return this.#refused?.id !== id || this.#elapsed() - this.#refusedAt >= RETRY_AFTER_MS;
  }

  async #load(id: string): Promise<void> {
    const started = this.#elapsed();
    this.#loading = id;
    try {
      const prepared = this.#prepared?.snapshot;
      const snapshot = prepared?.id === id ? prepared : await this.#read(id);
      await this.#landingUrls.replaceLive(snapshot, () => (this.#current = snapshot));
      this.#refused = null;
      const details = { snapshot: id, creatives: snapshot.creatives.length, ms: Math.round(this.#elapsed() - started) };
      this.options.log.info(details, 'snapshot is live');
    } catch (error) {
      this.#refuse(id, error);
    } finally {
      this.#loading = null;
    }
  }

  async #read(id: string): Promise<ServedSnapshot> {
    const { dataDir, encoder, vectors = null } = this.options;
    const snapshot = await loadVerified(dataDir, id, encoder, vectors);
    await buildCreativeMaps(snapshot);
    await buildNameKeys(snapshot);
    await negativeKeywordsOf(snapshot);
    return snapshot;
  }

  #refuse(id: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const known = this.#refused?.id === id && this.#refused.reason === reason;
    this.#refused = { id, reason };
    this.#refusedAt = this.#elapsed();
    if (!known) this.options.log.error({ snapshot: id, reason, live: this.#current?.id ?? null }, 'snapshot refused');
  }
}

import pLimit from 'p-limit';
import { landingUrlsChangedAt, readLandingUrls } from '../../models/snapshot/landing-urls.js';
import type { ServedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { oneAtATime } from '../../platform/cluster/one-at-a-time.js';
import { ShardedMap } from '../../platform/collections/sharded-map.js';
import { elapsedMs } from '../../platform/time/elapsed.js';
import { inBatches } from '../../platform/time/in-batches.js';
import type { FollowLog } from '../stores/followed-store.js';
import { creativeMapsOf } from './creative-maps.js';

/** The table may be large, and is read again at once when it changes. */
const RETRY_MS = 60_000;

/** Landing URLs of the live creatives, and of those that left the catalogue within the click window. */
export class LandingUrlTable {
  /**
   * Those that the live snapshot does not have. None is forgotten: the address of a served ad stays valid for clicks as
   * long as the process lives.
   */
  readonly #others = new ShardedMap<string>();
  #tableRead: number | null = null;
  /** Modification time of a table that could not be read, and when to read it again. */
  #refused: { readonly modified: number; readonly retryAt: number } | null = null;
  /** Serialises writes: the addresses of a snapshot that was live take precedence over those of the table. */
  readonly #writes = pLimit(1);
  readonly #refreshing = oneAtATime(() => this.#readTable());

  /** @param live returns the snapshot that is live in this process; null: none */
  constructor(
    readonly dataDir: string,
    readonly live: () => ServedSnapshot | null,
    readonly log: Pick<FollowLog, 'error'>,
  ) {}

  /** Returns a creative's landing URL; null: unknown. */
  of(creativeId: string): string | null {
    const live = this.live();
    const creative = live === null ? undefined : creativeMapsOf(live).ids.get(creativeId);
    return creative?.landingUrl ?? this.#others.get(creativeId) ?? null;
  }

  /**
   * Keeps the addresses of the live snapshot that the next one does not have, and only those.
   *
   * @param goLive makes the next one live
   */
  replaceLive(next: ServedSnapshot, goLive: () => void): Promise<void> {
    return this.#writes(async () => {
      const { ids } = creativeMapsOf(next);
      await inBatches(this.live()?.creatives ?? [], ({ id, landingUrl }) => {
        if (!ids.has(id)) this.#others.set(id, landingUrl);
      });
      goLive();
      await inBatches(next.creatives, ({ id }) => this.#others.delete(id));
    });
  }

  /**
   * Reads the table now if it has changed.
   *
   * @throws Error when it is damaged
   */
  refresh(): Promise<void> {
    return this.#refreshing();
  }

  /**
   * Reads the table if it has changed. A failure is logged, and retried after a while, since it may be temporary.
   */
  async tryRefresh(): Promise<void> {
    const modified = await landingUrlsChangedAt(this.dataDir);
    const isKnown = this.#refused?.modified === modified;
    if (isKnown && elapsedMs() < this.#refused!.retryAt) return;
    await this.#refreshing().catch((error: unknown) => {
      // The live snapshot has its own URLs: only clicks on creatives that have left the catalogue are affected.
      if (!isKnown) this.log.error({ reason: String(error) }, 'landing URLs cannot be read');
      this.#refused = { modified, retryAt: elapsedMs() + RETRY_MS };
    });
  }

  async #readTable(): Promise<void> {
    const modified = await landingUrlsChangedAt(this.dataDir);
    if (modified === this.#tableRead) return;
    const { creatives } = await readLandingUrls(this.dataDir);
    this.#tableRead = modified;
    await this.#writes(() => {
      const live = this.live();
      const ids = live && creativeMapsOf(live).ids;
      return inBatches(creatives, ([id, { landingUrl }]) => {
        if (!ids?.has(id)) this.#others.set(id, landingUrl);
      });
    });
  }
}

import pLimit from 'p-limit';
import type { Creative } from '../../models/schema/creative.js';
import { landingUrlsChangedAt, readLandingUrls } from '../../models/snapshot/landing-urls.js';
import type { ServedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { oneAtATime } from '../../platform/cluster/one-at-a-time.js';
import { elapsedMs } from '../../platform/time/elapsed.js';
import { inBatches } from '../../platform/time/in-batches.js';
import type { FollowLog } from '../stores/followed-store.js';
import { creativeMapsOf } from './creative-maps.js';

/** The table may be large, and is read again at once when it changes. */
const RETRY_MS = 60_000;

/** Landing URLs of the live creatives, and of those that left the catalogue within the click window. */
export class LandingUrlTable {
  /** Only grows: the address of a served ad stays valid for clicks as long as the process lives. */
  readonly #urls = new Map<string, string>();
  #tableRead: number | null = null;
  /** Modification time of a table that could not be read, and when to read it again. */
  #refused: { readonly modified: number; readonly retryAt: number } | null = null;
  /** Serialises writes: addresses of the live snapshot take precedence over those of the table. */
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
    return this.#urls.get(creativeId) ?? null;
  }

  /** Takes over the addresses of a snapshot. @param goLive called once they are known */
  takeFrom(creatives: readonly Creative[], goLive: () => void): Promise<void> {
    return this.#writes(async () => {
      await inBatches(creatives, ({ id, landingUrl }) => this.#urls.set(id, landingUrl));
      goLive();
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
    await this.#writes(async () => {
      const current = this.live();
      const live = current && creativeMapsOf(current).ids;
      await inBatches(creatives, ([id, { landingUrl }]) => this.#urls.set(id, live?.get(id)?.landingUrl ?? landingUrl));
    });
  }
}

import pLimit from 'p-limit';
import type { Creative } from '../../models/schema/creative.js';
import { landingUrlsChangedAt, readLandingUrls } from '../../models/snapshot/landing-urls.js';
import type { ServedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { oneAtATime } from '../../platform/cluster/one-at-a-time.js';
import { inBatches } from '../../platform/time/in-batches.js';
import type { FollowLog } from '../stores/followed-store.js';
import { creativeMapsOf } from './creative-maps.js';

/** Landing addresses of the live creatives, and of those that left the catalogue within the click window. */
export class LandingUrlTable {
  /** Only grows: the address of a served ad stays valid for clicks as long as the process lives. */
  readonly #urls = new Map<string, string>();
  #tableRead: number | null = null;
  /** Modification time of a table that could not be read, so that the fault is logged once. */
  #tableRefused: number | null = null;
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
   * Reads the table if it has changed. A failure is logged, and retried at the next poll, since it may be temporary.
   */
  async tryRefresh(): Promise<void> {
    const modified = await landingUrlsChangedAt(this.dataDir);
    await this.#refreshing().catch((error: unknown) => {
      // The live snapshot has its own addresses: only clicks on creatives that have left the catalogue are affected.
      if (modified !== this.#tableRefused) this.log.error({ reason: String(error) }, 'landing URLs cannot be read');
      this.#tableRefused = modified;
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

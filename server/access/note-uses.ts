import { MINUTE } from '../../platform/time/durations.js';
import type { SharedStore } from '../stores/shared-store.js';
import type { AccessFile, StoredAccessToken } from './access-file.js';

/** A use is noted if the last noted one is at least this long ago. */
const EVERY_MS = 10 * MINUTE;

export interface NoteUsesOptions {
  readonly store: Pick<SharedStore<AccessFile>, 'change'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: { warn(details: object, message: string): void };
}

/**
 * Notes in the file when each access token was last used, to within ten minutes. Nobody waits for it, and a use that
 * cannot be noted is logged.
 */
export function noteUses({ store, clock, log }: NoteUsesOptions) {
  /** When this process last noted a use, by digest. */
  const noted = new Map<string, number>();
  let last: Promise<void> = Promise.resolve();
  return {
    note({ sha256, lastUsedAt }: StoredAccessToken): void {
      const now = clock();
      const before = Math.max(noted.get(sha256) ?? 0, lastUsedAt === null ? 0 : Date.parse(lastUsedAt));
      if (now - before < EVERY_MS) return;
      noted.set(sha256, now);
      const write = (): Promise<void> =>
        store.change((file) => {
          const token = file.tokens.find((each) => each.sha256 === sha256);
          if (token !== undefined) token.lastUsedAt = new Date(now).toISOString();
        });
      last = last
        .then(write)
        .catch((error: unknown) => log.warn({ err: error }, 'the use of an access token could not be noted'));
    },
    /** Waits for the last note. */
    close: () => last,
  };
}

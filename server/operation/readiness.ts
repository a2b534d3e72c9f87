import { statfs } from 'node:fs/promises';

/** Something that must hold before requests should be sent here. */
export interface ReadinessCheck {
  readonly name: string;
  /** Why it does not hold, in words; null: it holds. */
  readonly fault: () => Promise<string | null> | string | null;
}

/** Less than this and SQLite may fail to write its log. */
const LEAST_FREE = 64 * 1024 * 1024;

/** There is room for the ledger to write to. */
export function diskCheck(directory: string): ReadinessCheck {
  return {
    name: 'disk',
    async fault() {
      try {
        const { bavail, bsize } = await statfs(directory);
        const free = bavail * bsize;
        return free < LEAST_FREE ? `only ${Math.floor(free / 1024 / 1024)} MiB free below DATA_DIR` : null;
      } catch (error) {
        return (error as Error).message;
      }
    },
  };
}

import { Worker } from 'node:worker_threads';
import type { LedgerLocation } from '../database.js';
import type { PastAdsSettings } from './past-ads-worker.js';
import type { PastAdCounts } from './sum-past-ads.js';

/** A start waits no longer: the counts only make the first estimates better. */
const LIMIT_MS = 30_000;

/**
 * Reads the ledger's sums of the last thirty days, without test events, in a thread of its own: the process answers
 * requests and signals meanwhile, whatever the ledger does.
 *
 * @param now epoch milliseconds
 * @throws Error when the ledger cannot be read, or not within the limit
 */
export async function readPastAdCounts(
  location: LedgerLocation,
  now: number,
  limitMs = LIMIT_MS,
): Promise<PastAdCounts> {
  // One thread, one answer: no requests that need numbers (`platform/threads/requests.ts`).
  const workerData: PastAdsSettings = { location, now };
  const worker = new Worker(new URL('./past-ads-worker.js', import.meta.url), { workerData });
  let limit: NodeJS.Timeout | undefined;
  try {
    return await new Promise<PastAdCounts>((resolve, reject) => {
      limit = setTimeout(() => reject(new Error(`the ledger gave no answer within ${limitMs} ms`)), limitMs);
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('the thread that reads the ledger ended')));
    });
  } finally {
    clearTimeout(limit);
    void worker.terminate();
  }
}

import { parentPort, workerData } from 'node:worker_threads';
import { openForReading, type LedgerLocation } from '../database.js';
import { sumPastAds } from './sum-past-ads.js';

/** The thread's `workerData`. */
export interface PastAdsSettings {
  readonly location: LedgerLocation;
  /** Epoch milliseconds. */
  readonly now: number;
}

const { location, now } = workerData as PastAdsSettings;
const database = openForReading(location, true);
try {
  parentPort!.postMessage(sumPastAds(database, now));
} finally {
  database.close();
}

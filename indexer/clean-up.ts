import type { CatalogueLock } from '../models/snapshot/catalogue-lock.js';
import type { KnownCreatives } from '../models/snapshot/read-creatives.js';
import { removeOutdated } from '../models/snapshot/retention.js';
import { removeLeftovers } from '../models/snapshot/write-snapshot.js';
import type { Cluster } from '../platform/cluster/cluster.js';
import { removeOldDrafts } from '../platform/files/durable.js';
import type { LazyEncoder } from './lazy-encoder.js';
import type { Progress } from './progress.js';
import { removeEmbedded, removeOldEmbedded } from './resume/embedded-files.js';

/** The run that published. */
export interface CleanUpOptions {
  readonly dataDir: string;
  readonly source: string;
  readonly clickWindowMs: number;
  readonly encoder: LazyEncoder;
  readonly lock: CatalogueLock;
  readonly cluster: Cluster | null;
  readonly progress: Progress;
}

/** Removes what interrupted runs left behind, except vectors, which a run may resume. */
export async function cleanUpBefore(dataDir: string, now: number, progress: Progress): Promise<void> {
  const left = await removeLeftovers(dataDir);
  if (left > 0) progress.print(`Removed ${left} half-written snapshot(s) of an interrupted run`);
  const warn = (error: Error): void => progress.warn(`Not cleaned up: ${error.message}`);
  await removeOldDrafts(dataDir, now).catch(warn);
  await removeOldEmbedded(dataDir, now).catch(warn);
}

/** Removes what a publication made superfluous. The caller holds the catalogue lock. A failure is only a warning: the next run tries again. */
export async function cleanUpAfter(
  known: KnownCreatives,
  now: number,
  { dataDir, source, clickWindowMs, encoder, lock, cluster, progress }: CleanUpOptions,
): Promise<void> {
  const { multilingual } = encoder;
  try {
    // A process that took the lock over may be sharing images that are not listed yet, or embedding.
    lock.assertHeld();
    const onLostLinks = (message: string): void => progress.warn(message);
    await removeOutdated(dataDir, now, { clickWindowMs, cluster, known, onLostLinks });
    await removeEmbedded(dataDir, source, multilingual === null ? [encoder] : [encoder, multilingual]);
  } catch (error) {
    progress.warn(`Published, but cleaning up failed and is tried again at the next run: ${(error as Error).message}`);
  }
}

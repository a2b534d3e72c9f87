import { type Actor, actorText } from '../models/audit/actor.js';
import { publishAudited } from '../models/audit/publication.js';
import type { CatalogueLock } from '../models/snapshot/catalogue-lock.js';
import { publish } from '../models/snapshot/publish.js';
import type { KnownCreatives } from '../models/snapshot/read-creatives.js';
import type { DraftSnapshot } from '../models/snapshot/write-snapshot.js';
import type { Cluster } from '../platform/cluster/cluster.js';
import { type AcceptedFeed, examineFeed, refuseFeed } from './accept-feed.js';
import { buildSnapshot } from './build-snapshot.js';
import { cleanUpAfter, cleanUpBefore } from './clean-up.js';
import { embedCatalogue } from './embed-catalogue.js';
import { readFormerSources } from './former-sources.js';
import { storeImages } from './images.js';
import type { LazyEncoder } from './lazy-encoder.js';
import { type LiveCatalogue, readLiveCatalogue } from './live-catalogue.js';
import type { FeedReading } from './mapping/read-mapping.js';
import type { Progress } from './progress.js';
import { describeContent } from './describe-content.js';
import { describeChanges, describePublication } from './summary.js';
import { emptyFeed, wholeCatalogue } from './whole-catalogue.js';

/** Options of an index run. */
export interface IndexTask {
  /** File of the feed; null: the source is removed. */
  readonly feed: string | null;
  /** How the columns of the feed become fields. */
  readonly reading: FeedReading;
  readonly source: string;
  readonly name: string | undefined;
  readonly skipInvalid: boolean;
  readonly allowShrink: boolean;
  /** Advertisers that the source may share with other sources. */
  readonly sharedAdvertisers: readonly string[];
  /** Whether rows may take ids of creatives that left another source within the click window. */
  readonly reuseIds: boolean;
  readonly verbose: boolean;
  /** Whether the summary leaves out what campaigns pay. */
  readonly brief: boolean;
  readonly dataDir: string;
  readonly timeZone: string;
  readonly currency: string;
  readonly clickWindowMs: number;
}

export interface IndexFeedOptions {
  readonly encoder: LazyEncoder;
  readonly lock: CatalogueLock;
  /** The cluster that the snapshot is published to; null: a single server. */
  readonly cluster: Cluster | null;
  readonly progress: Progress;
  readonly clock: () => number;
  /** The user who runs it, for the history. */
  readonly by: Actor;
}

/**
 * Publishes a snapshot of a feed's rows and the live rows of other sources. Nothing live changes until the pointer
 * moves, at the very end.
 *
 * @throws FeedRefusedError if the feed may not be published
 */
export async function indexFeed(task: IndexTask, options: IndexFeedOptions): Promise<void> {
  const { dataDir, source } = task;
  const { encoder, cluster, progress } = options;
  const now = options.clock();
  await cleanUpBefore(dataDir, now, progress);
  const onFault = (fault: Error): void => progress.warn(`Not reused: ${fault.message}`);
  const live = await readLiveCatalogue(dataDir, { ...task, onFault });
  const accepted = await examineTask(task, live, now, progress);
  if (task.feed !== null) refuseFeed(accepted, { ...task, live });
  const creatives = wholeCatalogue(accepted, live, source);
  // Before embedding, which may take hours: an image that has changed since it was checked ends the run.
  await storeImages(accepted, { dataDir, cluster }, progress);
  const embedded = await embedCatalogue(creatives, encoder, live.catalogue, { dataDir, source, progress }, onFault);
  const content = { ...describeContent(task, accepted.feed, creatives, live, now), ...embedded };
  const draft = await buildSnapshot(dataDir, content, live.catalogue, progress);
  const loaded = [...(live.catalogue === null ? [] : [live.catalogue]), draft.snapshot];
  const known = new Map(loaded.map((snapshot) => [snapshot.id, snapshot.creatives]));
  await publishDraft(draft, live, known, dataDir, options);
  const { snapshot } = draft;
  progress.print(describePublication(snapshot.id, source, live));
  for (const line of describeChanges({ ...task, accepted, live, creatives: snapshot.creatives })) progress.print(line);
  await cleanUpAfter(known, now, { ...task, ...options });
}

/**
 * Reads a feed and prints its faults and what a run would change. Embeds and writes nothing, and so needs no lock.
 *
 * @throws FeedRefusedError if a run would refuse the feed
 */
export async function tryFeed(
  task: IndexTask,
  { progress, clock }: Pick<IndexFeedOptions, 'progress' | 'clock'>,
): Promise<void> {
  const onFault = (fault: Error): void => progress.warn(fault.message);
  const live = await readLiveCatalogue(task.dataDir, { ...task, onFault });
  const accepted = await examineTask(task, live, clock(), progress);
  const creatives = wholeCatalogue(accepted, live, task.source);
  progress.print(`Nothing was published (--dry-run). A run would change, in source ${task.source}:`);
  for (const line of describeChanges({ ...task, accepted, live, creatives })) progress.print(line);
  if (task.feed !== null) refuseFeed(accepted, { ...task, live });
}

/** Reads and checks the feed, or returns an empty one if the source is removed. @throws FeedRefusedError */
async function examineTask(
  task: IndexTask,
  live: LiveCatalogue,
  now: number,
  progress: Progress,
): Promise<AcceptedFeed> {
  const { feed, source, dataDir, reuseIds, clickWindowMs } = task;
  if (feed === null) return emptyFeed(source, live);
  const formerSources = reuseIds ? new Map<string, string>() : await readFormerSources(dataDir, now, clickWindowMs);
  return examineFeed(feed, { ...task, now, live, formerSources }, progress);
}

/** Keeps the draft among the snapshots and makes it live. @throws Error if the lock is lost */
async function publishDraft(
  draft: DraftSnapshot,
  live: LiveCatalogue,
  known: KnownCreatives,
  dataDir: string,
  { by, lock, cluster, progress, clock }: IndexFeedOptions,
): Promise<void> {
  try {
    lock.assertHeld();
    await draft.keep();
  } catch (error) {
    await draft.discard();
    throw error;
  }
  const { id } = draft.snapshot;
  const publication = { by, action: 'index' as const, now: clock(), before: live.catalogue?.id, after: id, known };
  await publishAudited({ dataDir, cluster }, publication, () =>
    publish(dataDir, id, {
      by: actorText(by),
      cluster,
      builtOn: live.id,
      onHistoryFault: (error) => progress.warn(`Published, but not recorded in the history: ${error.message}`),
    }),
  );
}

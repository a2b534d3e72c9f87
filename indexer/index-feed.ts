import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Actor, actorText } from '../models/audit/actor.js';
import { publishAudited } from '../models/audit/publication.js';
import type { Cluster } from '../platform/cluster/cluster.js';
import { creativeText } from '../models/encoder/embed-creative.js';
import { removeOldDrafts } from '../platform/files/durable.js';
import type { Creative } from '../models/schema/creative.js';
import { DETECTION_VERSION } from '../models/text/language.js';
import { compareSources, DEFAULT_SOURCE, sourceOf } from '../models/schema/source.js';
import type { CatalogueLock } from '../models/snapshot/catalogue-lock.js';
import { FIRST_INDEX, LARGE_FROM, MULTILINGUAL_INDEX } from '../models/snapshot/layout.js';
import { type LandingUrl, readLandingUrls } from '../models/snapshot/landing-urls.js';
import type { Manifest } from '../models/snapshot/manifest.js';
import { publish } from '../models/snapshot/publish.js';
import { removeOutdated } from '../models/snapshot/retention.js';
import { removeLeftovers } from '../models/snapshot/write-snapshot.js';
import { type AcceptedFeed, acceptFeed, FeedRefusedError } from './accept-feed.js';
import { buildSnapshot, type EncodedVectors } from './build-snapshot.js';
import type { LazyEncoder } from './lazy-encoder.js';
import { keepLabels } from './keep-labels.js';
import { imageRulesOf, storeImages } from './images.js';
import { type LiveCatalogue, readLiveCatalogue } from './live-catalogue.js';
import { makeVectors } from './make-vectors.js';
import type { Progress } from './progress.js';
import { removeEmbedded, removeOldEmbedded } from './resume/embedded-files.js';
import { type EncoderFiles, findStoredVectors } from './stored-vectors.js';
import { describeRun } from './summary.js';

/** Options of an index run. */
export interface IndexTask {
  /** File of the feed; null: the source is removed. */
  readonly feed: string | null;
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
  const { dataDir } = task;
  const { encoder, lock, cluster, progress } = options;
  const now = options.clock();
  const left = await removeLeftovers(dataDir);
  if (left > 0) progress.print(`Removed ${left} half-written snapshot(s) of an interrupted run`);
  await removeOldDrafts(dataDir, now).catch((error: Error) => progress.warn(`Not cleaned up: ${error.message}`));
  await removeOldEmbedded(dataDir, now).catch((error: Error) => progress.warn(`Not cleaned up: ${error.message}`));
  const onFault = (fault: Error): void => progress.warn(`Not reused: ${fault.message}`);
  const live = await readLiveCatalogue(dataDir, { ...task, onFault });
  const accepted =
    task.feed === null
      ? nothingOf(task, live)
      : await acceptFeed(task.feed, { ...task, now, live, formerSources: await formerSources(task, now) }, progress);
  const whole = wholeCatalogue(accepted, live, task.source);
  const creatives = whole.length < LARGE_FROM ? whole : keepLabels(whole, live.catalogue?.creatives ?? []);
  const texts = creatives.map(creativeText);
  // Before embedding, which may take hours: an image that has changed since it was checked ends the run.
  await storeImages(accepted, { dataDir, cluster }, progress);
  const { multilingual } = encoder;
  const parts: EncoderFiles[] = [{ encoder, files: FIRST_INDEX }];
  if (multilingual !== null) parts.push({ encoder: multilingual, files: MULTILINGUAL_INDEX });
  const [known, knownOther] = await findStoredVectors(dataDir, parts, texts, live.catalogue, onFault);
  const vectorsBy = async (source: LazyEncoder, found: Known): Promise<EncodedVectors> => ({
    source,
    vectors: await makeVectors(texts, found, source, { dataDir, source: task.source, progress }),
  });
  const first = await vectorsBy(encoder, known!);
  const other = multilingual && (await vectorsBy(multilingual, knownOther!));
  const { format, digest } = accepted.feed;
  // Unchanged feeds of several sources would otherwise replace each other's snapshots every night, until all that are
  // kept are alike and none is left to roll back to.
  const pictures = imageRulesOf(live);
  const same = manifestIfSame(live.catalogue, creatives, pictures);
  const content = {
    name: task.name ?? same?.name ?? (task.feed === null ? `without ${task.source}` : path.parse(task.feed).name),
    builtAt: new Date(now).toISOString(),
    source: same?.source ?? { format, digest },
    creatives,
    pictures,
    first,
    multilingual: other,
  };
  const draft = await buildSnapshot(dataDir, content, live.catalogue, progress);
  try {
    lock.assertHeld();
    await draft.keep();
  } catch (error) {
    await draft.discard();
    throw error;
  }
  const [before, after] = [live.catalogue?.id, draft.snapshot.id];
  const loaded = [...(live.catalogue === null ? [] : [live.catalogue]), draft.snapshot];
  const loadedCreatives = new Map(loaded.map((snapshot) => [snapshot.id, snapshot.creatives]));
  const publication = {
    by: options.by,
    action: 'index' as const,
    now: options.clock(),
    before,
    after,
    known: loadedCreatives,
  };
  await publishAudited({ dataDir, cluster }, publication, () =>
    publish(dataDir, draft.snapshot.id, {
      by: actorText(options.by),
      cluster,
      builtOn: live.id,
      onHistoryFault: (error) => progress.warn(`Published, but not recorded in the history: ${error.message}`),
    }),
  );
  for (const line of describeRun({ ...task, accepted, live, snapshot: draft.snapshot })) progress.print(line);
  try {
    // A process that took the lock over may be sharing images that are not listed yet, or embedding.
    lock.assertHeld();
    await removeOutdated(dataDir, now, {
      clickWindowMs: task.clickWindowMs,
      cluster,
      known: loadedCreatives,
      onLostLinks: (message) => progress.warn(message),
    });
    await removeEmbedded(dataDir, task.source, multilingual === null ? [encoder] : [encoder, multilingual]);
  } catch (error) {
    progress.warn(`Published, but cleaning up failed and is tried again at the next run: ${(error as Error).message}`);
  }
}

/**
 * Returns the live snapshot's manifest if it has these creatives, checked by the rules of this release; otherwise a new
 * one has to say so.
 */
function manifestIfSame(
  live: LiveCatalogue['catalogue'],
  creatives: readonly Creative[],
  pictures: number | null,
): Manifest | null {
  if (live === null || live.manifest.telling !== DETECTION_VERSION) return null;
  const isChecked = (live.manifest.pictures ?? null) === pictures;
  return isChecked && isDeepStrictEqual(creatives, live.creatives) ? live.manifest : null;
}

/** Vectors by text. */
type Known = ReadonlyMap<string, Float32Array>;

/**
 * Returns, by id, the source of each creative that has left but whose links still work; nothing if the run may reuse
 * ids. A damaged table counts as empty; the end of the run reports it.
 */
async function formerSources(
  { dataDir, reuseIds, clickWindowMs }: IndexTask,
  now: number,
): Promise<ReadonlyMap<string, string>> {
  const sources = new Map<string, string>();
  if (reuseIds) return sources;
  const { creatives } = await readLandingUrls(dataDir).catch(() => ({ creatives: new Map<string, LandingUrl>() }));
  for (const [id, { source, leftAt }] of creatives) {
    const isFree = leftAt !== null && Date.parse(leftAt) + clickWindowMs <= now;
    if (source !== undefined && !isFree) sources.set(id, source);
  }
  return sources;
}

const NO_FEED: Manifest['source'] = { format: 'none', digest: '0'.repeat(64) };

/** Returns an empty feed, which removes the source. @throws FeedRefusedError if the source has no live rows */
function nothingOf({ source }: IndexTask, { own, others }: LiveCatalogue): AcceptedFeed {
  if (own.length === 0) {
    const known = [...new Set(others.map(sourceOf))].toSorted(compareSources);
    const there = known.length === 0 ? 'nothing is live' : `live are ${known.join(', ')}`;
    throw new FeedRefusedError(`There is no source ${source}; ${there}. Nothing was changed.`);
  }
  return { feed: NO_FEED, rows: [], faults: [], fatal: [], warnings: [], total: 0 };
}

/** Orders the catalogue by source, so that the order of runs makes no difference. `keepLabels` orders a large one. */
function wholeCatalogue({ rows }: AcceptedFeed, { others }: LiveCatalogue, source: string): Creative[] {
  const own = rows.map(({ creative }) => (source === DEFAULT_SOURCE ? creative : { ...creative, source }));
  return [...others, ...own].toSorted((one, other) => compareSources(sourceOf(one), sourceOf(other)));
}

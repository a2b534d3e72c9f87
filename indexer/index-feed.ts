import path from 'node:path';
import { type Actor, actorText } from '../models/audit/actor.js';
import { publishAudited } from '../models/audit/publication.js';
import type { Cluster } from '../platform/cluster/cluster.js';
import { creativeText } from '../models/encoder/embed-creative.js';
import type { Creative } from '../models/schema/creative.js';
import { compareSources, DEFAULT_SOURCE, sourceOf } from '../models/schema/source.js';
import type { CatalogueLock } from '../models/snapshot/catalogue-lock.js';
import { storeImage } from '../models/snapshot/images.js';
import { FIRST_INDEX, type IndexFiles, LARGE_FROM, MULTILINGUAL_INDEX } from '../models/snapshot/layout.js';
import { type LandingUrl, readLandingUrls } from '../models/snapshot/landing-urls.js';
import type { Manifest } from '../models/snapshot/manifest.js';
import { publish } from '../models/snapshot/publish.js';
import { removeOutdated } from '../models/snapshot/retention.js';
import { shareImages } from '../models/snapshot/shared-catalogue.js';
import { removeLeftovers } from '../models/snapshot/write-snapshot.js';
import { type AcceptedFeed, acceptFeed, FeedRefusedError } from './accept-feed.js';
import { buildSnapshot, type EncodedVectors } from './build-snapshot.js';
import type { EncoderSource } from './encoder-source.js';
import { keepPlaces } from './keep-places.js';
import { type LiveCatalogue, readLiveCatalogue } from './live-catalogue.js';
import { makeVectors } from './make-vectors.js';
import type { Progress } from './progress.js';
import { findStoredVectors } from './stored-vectors.js';
import { describeRun } from './summary.js';

/** What to index, and how. */
export interface IndexTask {
  /** File of the feed; null: its source is to go. */
  readonly feed: string | null;
  readonly source: string;
  readonly name: string | undefined;
  readonly skipInvalid: boolean;
  readonly allowShrink: boolean;
  /** Advertisers that the source may have beside others. */
  readonly sharedAdvertisers: readonly string[];
  /** Ids may be those of creatives that left another source lately. */
  readonly reuseIds: boolean;
  readonly verbose: boolean;
  /** Leaves out what campaigns pay. */
  readonly brief: boolean;
  readonly dataDir: string;
  readonly timeZone: string;
  readonly currency: string;
  readonly clickWindowMs: number;
}

export interface IndexFeedOptions {
  readonly encoder: EncoderSource;
  readonly lock: CatalogueLock;
  /** The nodes that it is published for; null: this one is alone. */
  readonly cluster: Cluster | null;
  readonly progress: Progress;
  readonly clock: () => number;
  /** Who runs it, for the history. */
  readonly by: Actor;
}

/**
 * Turns a feed, with the live rows of other sources, into the live snapshot. Until the pointer is moved, at the very end,
 * nothing that is live changes.
 *
 * @throws FeedRefusedError when the feed may not be published
 */
export async function indexFeed(task: IndexTask, options: IndexFeedOptions): Promise<void> {
  const { dataDir } = task;
  const { encoder, lock, cluster, progress } = options;
  const now = options.clock();
  const left = await removeLeftovers(dataDir);
  if (left > 0) progress.print(`Removed ${left} half-written snapshot(s) of an interrupted run`);
  const onFault = (fault: Error): void => progress.warn(`Not reused: ${fault.message}`);
  const live = await readLiveCatalogue(dataDir, { ...task, onFault });
  const accepted =
    task.feed === null
      ? nothingOf(task, live)
      : await acceptFeed(task.feed, { ...task, now, live, formerSources: await formerSources(task, now) }, progress);
  const whole = wholeCatalogue(accepted, live, task.source);
  const creatives = whole.length < LARGE_FROM ? whole : keepPlaces(whole, live.catalogue?.creatives ?? []);
  const texts = creatives.map(creativeText);
  const vectorsBy = async (source: EncoderSource, files: IndexFiles): Promise<EncodedVectors> => {
    const known = await findStoredVectors(dataDir, source, texts, live.catalogue, files, onFault);
    return { source, vectors: await makeVectors(texts, known, source, progress) };
  };
  // Before the hours that embedding may take: a picture that has changed since it was checked ends the run.
  await storeImages(accepted, { dataDir, cluster }, progress);
  const first = await vectorsBy(encoder, FIRST_INDEX);
  const { multilingual } = encoder;
  const other = multilingual && (await vectorsBy(multilingual, MULTILINGUAL_INDEX));
  const { format, digest } = accepted.feed;
  const content = {
    name: task.name ?? (task.feed === null ? `without ${task.source}` : path.parse(task.feed).name),
    builtAt: new Date(now).toISOString(),
    source: { format, digest },
    creatives,
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
  const known = new Map(loaded.map((snapshot) => [snapshot.id, snapshot.creatives]));
  const publication = { by: options.by, action: 'index' as const, now: options.clock(), before, after, known };
  await publishAudited({ dataDir, cluster }, publication, () =>
    publish(dataDir, draft.snapshot.id, {
      by: actorText(options.by),
      cluster,
      builtOn: live.id,
      onHistoryFault: (error) => progress.warn(`Published, but not noted in the history: ${error.message}`),
    }),
  );
  for (const line of describeRun({ ...task, accepted, live, snapshot: draft.snapshot })) progress.print(line);
  try {
    // Whoever took the catalogue over may be sharing what is not listed yet.
    lock.assertHeld();
    await removeOutdated(dataDir, now, task.clickWindowMs, cluster, known);
  } catch (error) {
    progress.warn(`Published, but cleaning up failed and is tried again at the next run: ${(error as Error).message}`);
  }
}

/** By id; empty where ids may be taken over. A table that cannot be read says nothing, and is made anew at the end. */
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

/** A source that is taken out. @throws FeedRefusedError when nothing of it is live */
function nothingOf({ source }: IndexTask, { own, others }: LiveCatalogue): AcceptedFeed {
  if (own.length === 0) {
    const known = [...new Set(others.map(sourceOf))].toSorted(compareSources);
    const there = known.length === 0 ? 'nothing is live' : `live are ${known.join(', ')}`;
    throw new FeedRefusedError(`There is no source ${source}; ${there}. Nothing was changed.`);
  }
  return { feed: NO_FEED, rows: [], faults: [], fatal: [], warnings: [], total: 0 };
}

/** In the order of sources, so that the order of runs makes no difference; a large one is put in order by `keepPlaces`. */
function wholeCatalogue({ rows }: AcceptedFeed, { others }: LiveCatalogue, source: string): Creative[] {
  const own = rows.map(({ creative }) => (source === DEFAULT_SOURCE ? creative : { ...creative, source }));
  return [...others, ...own].toSorted((one, other) => compareSources(sourceOf(one), sourceOf(other)));
}

/** What an interrupted run leaves goes with the images that no snapshot names any more (`removeOutdated`). */
async function storeImages(
  { rows }: AcceptedFeed,
  { dataDir, cluster }: { readonly dataDir: string; readonly cluster: Cluster | null },
  progress: Progress,
): Promise<void> {
  const images = new Map(rows.flatMap(({ image }) => (image === null ? [] : [[image.name, image.source] as const])));
  if (images.size === 0) return;
  const step = progress.startStep('Images', images.size);
  let done = 0;
  for (const [name, source] of images) {
    await storeImage(dataDir, source, name);
    step.advance(++done);
  }
  if (cluster !== null) await shareImages(cluster, images.keys());
  step.end(images.size.toLocaleString('en'));
}

import path from 'node:path';
import { type Actor, actorText } from '../models/audit/actor.js';
import { recordPublication } from '../models/audit/publication.js';
import type { Cluster } from '../models/cluster/cluster.js';
import { creativeText } from '../models/encoder/embed-creative.js';
import type { Creative } from '../models/schema/creative.js';
import { compareSources, DEFAULT_SOURCE, sourceOf } from '../models/schema/source.js';
import type { CatalogueLock } from '../models/snapshot/catalogue-lock.js';
import { storeImage } from '../models/snapshot/images.js';
import { FIRST_INDEX, type IndexFiles, MULTILINGUAL_INDEX } from '../models/snapshot/layout.js';
import type { Manifest } from '../models/snapshot/manifest.js';
import { publish } from '../models/snapshot/publish.js';
import { removeOutdated } from '../models/snapshot/retention.js';
import { shareImages } from '../models/snapshot/shared-catalogue.js';
import {
  type DraftSnapshot,
  type EncodedCatalogue,
  removeLeftovers,
  writeSnapshot,
} from '../models/snapshot/write-snapshot.js';
import { type AcceptedFeed, acceptFeed, FeedRefusedError } from './accept-feed.js';
import { buildGraphInThread } from './graph-thread.js';
import type { EncoderSource } from './encoder-source.js';
import { type LiveCatalogue, readLiveCatalogue } from './live-catalogue.js';
import { makeVectors } from './make-vectors.js';
import type { Progress } from './progress.js';
import { measureRecall, refuseLowRecall } from './recall.js';
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
    task.feed === null ? nothingOf(task, live) : await acceptFeed(task.feed, { ...task, now, live }, progress);
  const creatives = wholeCatalogue(accepted, live, task.source);
  const texts = creatives.map(creativeText);
  const vectorsBy = async (source: EncoderSource, files: IndexFiles): Promise<EncodedVectors> => {
    const known = await findStoredVectors(dataDir, source, texts, live.catalogue, files, onFault);
    return { source, vectors: await makeVectors(texts, known, source, progress) };
  };
  const first = await vectorsBy(encoder, FIRST_INDEX);
  const { multilingual } = encoder;
  const other = multilingual && (await vectorsBy(multilingual, MULTILINGUAL_INDEX));
  await storeImages(accepted, { dataDir, cluster }, progress);
  const draft = await build(task, accepted.feed, creatives, [first, other], progress, now);
  try {
    await checkRecall(draft, progress);
    lock.assertHeld();
    await draft.keep();
  } catch (error) {
    await draft.discard();
    throw error;
  }
  const [before, after] = [live.catalogue?.id, draft.snapshot.id];
  await recordPublication({ dataDir, cluster }, { by: options.by, action: 'index', now, before, after });
  await publish(dataDir, draft.snapshot.id, {
    by: actorText(options.by),
    cluster,
    onHistoryFault: (error) => progress.warn(`Published, but not noted in the history: ${error.message}`),
  });
  for (const line of describeRun({ ...task, accepted, live, snapshot: draft.snapshot })) progress.print(line);
  try {
    // Whoever took the catalogue over may be sharing what is not listed yet.
    lock.assertHeld();
    await removeOutdated(dataDir, now, task.clickWindowMs, cluster);
  } catch (error) {
    progress.warn(`Published, but cleaning up failed and is tried again at the next run: ${(error as Error).message}`);
  }
}

/** What one encoder makes of the catalogue, row-major: label × dims. */
interface EncodedVectors {
  readonly source: EncoderSource;
  readonly vectors: Float32Array;
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

/** In the order of sources, so that the order of runs makes no difference. */
function wholeCatalogue({ rows }: AcceptedFeed, { others }: LiveCatalogue, source: string): Creative[] {
  const own = rows.map(({ creative }) => (source === DEFAULT_SOURCE ? creative : { ...creative, source }));
  return [...others, ...own].toSorted((one, other) => compareSources(sourceOf(one), sourceOf(other)));
}

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

async function build(
  task: IndexTask,
  { format, digest }: Manifest['source'],
  creatives: readonly Creative[],
  [first, other]: readonly [EncodedVectors, EncodedVectors | null],
  progress: Progress,
  now: number,
): Promise<DraftSnapshot> {
  const step = progress.startStep('Building', creatives.length);
  const encodedBy = ({ source, vectors }: EncodedVectors): EncodedCatalogue => {
    const { name, fingerprint, dims } = source;
    const saveGraph = (file: string) => buildGraphInThread({ vectors, dims, file }, step.advance);
    return { encoder: { name, fingerprint, dims }, vectors, saveGraph };
  };
  const draft = await writeSnapshot(task.dataDir, {
    name: task.name ?? (task.feed === null ? `without ${task.source}` : path.parse(task.feed).name),
    builtAt: new Date(now).toISOString(),
    source: { format, digest },
    creatives,
    ...encodedBy(first),
    multilingual: other && encodedBy(other),
  });
  step.end(`${creatives.length.toLocaleString('en')} creatives, written and read back`);
  return draft;
}

async function checkRecall({ snapshot }: DraftSnapshot, progress: Progress): Promise<void> {
  const step = progress.startStep('Recall', 0);
  const { manifest, multilingual } = snapshot;
  const first = await measureRecall(snapshot.index, snapshot.vectors, manifest.encoder.dims);
  const other = multilingual
    ? await measureRecall(multilingual.index, multilingual.vectors, manifest.multilingual!.dims)
    : first;
  const recall = Math.min(first, other);
  step.end(`recall@10 against exact search: ${recall.toFixed(3)}`);
  refuseLowRecall(recall);
}

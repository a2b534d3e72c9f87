import path from 'node:path';
import { creativeText } from '../models/encoder/embed-creative.js';
import type { CatalogueLock } from '../models/snapshot/catalogue-lock.js';
import { storeImage } from '../models/snapshot/images.js';
import { publish } from '../models/snapshot/publish.js';
import { removeOutdated } from '../models/snapshot/retention.js';
import { type DraftSnapshot, removeLeftovers, writeSnapshot } from '../models/snapshot/write-snapshot.js';
import { type AcceptedFeed, acceptFeed } from './accept-feed.js';
import { describeDiff, diffFeed } from './feed-diff.js';
import { buildGraphInThread } from './graph-thread.js';
import type { EncoderSource } from './encoder-source.js';
import { makeVectors } from './make-vectors.js';
import type { Progress } from './progress.js';
import { measureRecall, refuseLowRecall } from './recall.js';
import { findStoredVectors } from './stored-vectors.js';
import { SnapshotFaultError } from '../models/snapshot/manifest.js';
import { listSnapshots } from '../models/snapshot/kept-snapshots.js';

/** A feed to index, and how. */
export interface IndexTask {
  readonly feed: string;
  readonly name: string | undefined;
  readonly skipInvalid: boolean;
  readonly allowShrink: boolean;
  readonly verbose: boolean;
  readonly dataDir: string;
  readonly timeZone: string;
  readonly currency: string;
  readonly clickWindowMs: number;
}

export interface IndexFeedOptions {
  readonly encoder: EncoderSource;
  readonly lock: CatalogueLock;
  readonly progress: Progress;
  readonly clock: () => number;
}

/**
 * Turns a feed into the live snapshot. Until the pointer is moved, at the very end, nothing that is live changes.
 *
 * @throws FeedRefusedError when the feed may not be published
 */
export async function indexFeed(task: IndexTask, options: IndexFeedOptions): Promise<void> {
  const { dataDir } = task;
  const { encoder, lock, progress } = options;
  const now = options.clock();
  const left = await removeLeftovers(dataDir);
  if (left > 0) progress.print(`Removed ${left} half-written snapshot(s) of an interrupted run`);
  const accepted = await acceptFeed(task.feed, { ...task, now, liveCount: await liveCount(dataDir) }, progress);
  const texts = accepted.rows.map(({ creative }) => creativeText(creative));
  const stored = await findStoredVectors(dataDir, encoder, texts, (fault) =>
    progress.warn(`Not reused: ${fault.message}`),
  );
  const vectors = await makeVectors(texts, stored.byText, encoder, progress);
  await storeImages(accepted, dataDir, progress);
  const draft = await build(task, accepted, vectors, options, now);
  try {
    await checkRecall(draft, progress);
    lock.assertHeld();
    await draft.keep();
  } catch (error) {
    await draft.discard();
    throw error;
  }
  const { id } = draft.snapshot;
  const same = id === stored.live?.id;
  await publish(dataDir, id);
  const changes = diffFeed(accepted.rows, accepted.faults, stored.live?.creatives ?? []);
  progress.print(same ? `Published ${id} (the same as before)` : `Published ${id}`);
  for (const line of describeDiff(changes, task.verbose)) progress.print(line);
  await removeOutdated(dataDir, now, task.clickWindowMs).catch((error: unknown) => {
    progress.warn(`Published, but cleaning up failed and is tried again at the next run: ${(error as Error).message}`);
  });
}

async function storeImages({ rows }: AcceptedFeed, dataDir: string, progress: Progress): Promise<void> {
  const images = new Map(rows.flatMap(({ image }) => (image === null ? [] : [[image.name, image.source] as const])));
  if (images.size === 0) return;
  const step = progress.startStep('Images', images.size);
  let done = 0;
  for (const [name, source] of images) {
    await storeImage(dataDir, source, name);
    step.advance(++done);
  }
  step.end(images.size.toLocaleString('en'));
}

async function build(
  task: IndexTask,
  { feed, rows }: AcceptedFeed,
  vectors: Float32Array,
  { encoder, progress }: IndexFeedOptions,
  now: number,
): Promise<DraftSnapshot> {
  const { name, fingerprint, dims } = encoder;
  const step = progress.startStep('Building', rows.length);
  const draft = await writeSnapshot(task.dataDir, {
    name: task.name ?? path.parse(task.feed).name,
    builtAt: new Date(now).toISOString(),
    source: { format: feed.format, digest: feed.digest },
    encoder: { name, fingerprint, dims },
    creatives: rows.map(({ creative }) => creative),
    vectors,
    saveGraph: (file) => buildGraphInThread({ vectors, dims, file }, step.advance),
  });
  step.end(`${rows.length.toLocaleString('en')} creatives, written and read back`);
  return draft;
}

async function checkRecall({ snapshot }: DraftSnapshot, progress: Progress): Promise<void> {
  const step = progress.startStep('Recall', 0);
  const recall = await measureRecall(snapshot.index, snapshot.vectors, snapshot.manifest.encoder.dims);
  step.end(`recall@10 against exact search: ${recall.toFixed(3)}`);
  refuseLowRecall(recall);
}

/** How many creatives are live; 0 when none are, or the manifest cannot be read. */
export async function liveCount(dataDir: string): Promise<number> {
  const live = (await listSnapshots(dataDir)).find((kept) => kept.live);
  return live === undefined || live.manifest instanceof SnapshotFaultError ? 0 : live.manifest.counts.creatives;
}

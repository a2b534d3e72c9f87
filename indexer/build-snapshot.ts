import { EXACT_UP_TO } from '../models/index/graph.js';
import type { Creative } from '../models/schema/creative.js';
import {
  FIRST_INDEX,
  type IndexFiles,
  LARGE_FROM,
  MULTILINGUAL_INDEX,
  snapshotDirectory,
} from '../models/snapshot/layout.js';
import type { StoredCatalogue } from '../models/snapshot/load-snapshot.js';
import type { Manifest } from '../models/snapshot/manifest.js';
import { usesUsearch } from '../models/snapshot/read-vectors.js';
import { type DraftSnapshot, type EncodedCatalogue, writeSnapshot } from '../models/snapshot/write-snapshot.js';
import type { LazyEncoder } from './lazy-encoder.js';
import type { ExactNeighbours } from './exact-neighbours.js';
import type { EmbeddedCatalogue, EncodedVectors } from './embed-catalogue.js';
import { hasFallenBack } from './fallen-back.js';
import { buildGraphInThread } from './graph-thread.js';
import type { EarlierGraph, MadeGraph } from './graph-worker.js';
import type { Progress } from './progress.js';
import { searchExactlyInThread } from './recall-thread.js';
import { isRecallEnough, measureRecall, refuseLowRecall } from './recall.js';
import { isMadeBy } from './stored-vectors.js';

/** The content of the snapshot to build. */
export interface Content extends EmbeddedCatalogue {
  readonly name: string;
  readonly builtAt: string;
  readonly source: Manifest['source'];
  readonly creatives: readonly Creative[];
  /** Version of the rules by which all images of the creatives were checked; null: some may not be. */
  readonly pictures: number | null;
}

/**
 * Writes a snapshot that is not yet visible to servers, and measures its recall. Continues the live snapshot's graphs
 * if little has changed. If recall is then too low, builds them anew; if it is still too low, builds those of a large
 * catalogue over 32-bit vectors, on one core. A large catalogue that needed this before starts with it, as long as
 * little changes.
 *
 * @param live the live snapshot; null: nothing is live, or it cannot be read
 * @throws FeedRefusedError if recall stays too low; SnapshotFaultError if the snapshot cannot be read back
 */
export async function buildSnapshot(
  dataDir: string,
  content: Content,
  live: StoredCatalogue | null,
  progress: Progress,
): Promise<DraftSnapshot> {
  const large = content.creatives.length >= LARGE_FROM && !hasFallenBack(live, content.first);
  return buildChecked(dataDir, content, { live, large }, startAnswers(content), progress);
}

/** Results of the exact search, by encoder. The search runs while the graphs are built. */
type Answers = Promise<readonly (readonly ExactNeighbours[])[]>;

function startAnswers({ first, multilingual }: Content): Answers {
  const parts = multilingual === null ? [first] : [first, multilingual];
  const answers = Promise.all(parts.map(({ source, vectors }) => searchExactlyInThread(vectors, source.dims)));
  // If writing fails first, nothing awaits these results.
  answers.catch(() => {});
  return answers;
}

/** How graphs are built: from which live graphs, and whether by usearch. */
interface BuildMethod {
  readonly live: StoredCatalogue | null;
  readonly large: boolean;
}

async function buildChecked(
  dataDir: string,
  content: Content,
  method: BuildMethod,
  answers: Answers,
  progress: Progress,
): Promise<DraftSnapshot> {
  const { draft, continued } = await writeDraft(dataDir, content, method, progress);
  try {
    const recall = await recallOf(draft, answers, progress);
    if (isRecallEnough(recall)) return draft;
    if (!continued && !method.large) refuseLowRecall(recall);
  } catch (error) {
    await draft.discard();
    throw error;
  }
  await draft.discard();
  progress.print(
    continued
      ? 'Recall is too low for a graph that was continued; it is built anew.'
      : 'Recall is too low over vectors of 8 bits; the graph is built over those of 32, by one core.',
  );
  // If the graph was not continued, the live one may be hnswlib's, from when the catalogue was smaller.
  const next = continued ? { ...method, live: null } : { live: method.live, large: false };
  return buildChecked(dataDir, content, next, answers, progress);
}

async function writeDraft(
  dataDir: string,
  { first, multilingual, ...content }: Content,
  { live, large }: BuildMethod,
  progress: Progress,
): Promise<{ readonly draft: DraftSnapshot; readonly continued: boolean }> {
  const size = content.creatives.length;
  const step = progress.startStep('Building', size);
  const graphs: MadeGraph[] = [];
  const encodedBy = ({ source, vectors }: EncodedVectors, files: IndexFiles): EncodedCatalogue => {
    const { name, fingerprint, dims } = source;
    const earlier = live && size > EXACT_UP_TO ? earlierGraph(dataDir, live, source, files, large) : null;
    const saveGraph = async (file: string): Promise<void> => {
      const made = await buildGraphInThread({ vectors, dims, file, usesUsearch: large, earlier }, step.advance);
      if (made.fault !== null) progress.warn(`Not continued: ${made.fault}`);
      graphs.push(made);
    };
    return { encoder: { name, fingerprint, dims }, vectors, usesUsearch: large, saveGraph };
  };
  const draft = await writeSnapshot(dataDir, {
    ...content,
    ...encodedBy(first, FIRST_INDEX),
    multilingual: multilingual && encodedBy(multilingual, MULTILINGUAL_INDEX),
  });
  step.end(`${size.toLocaleString('en')} creatives, written and read back; ${describeGraphs(graphs)}`);
  return { draft, continued: graphs.some(({ placed }) => placed !== null) };
}

/** Returns the live graph over the same encoder's vectors, made by the same library; null: there is none. */
function earlierGraph(
  dataDir: string,
  { id, manifest, vectors }: StoredCatalogue,
  encoder: LazyEncoder,
  files: IndexFiles,
  large: boolean,
): EarlierGraph | null {
  if (!isMadeBy(encoder, manifest, files) || usesUsearch(manifest, files) !== large) return null;
  return {
    directory: snapshotDirectory(dataDir, id),
    manifest,
    files,
    vectors: large && files === FIRST_INDEX ? vectors : null,
  };
}

function describeGraphs(graphs: readonly MadeGraph[]): string {
  if (graphs.some(({ placed }) => placed === null)) return 'graph built anew';
  const placed = Math.max(...graphs.map((graph) => graph.placed ?? 0));
  return `graph continued, ${placed.toLocaleString('en')} placed in it`;
}

/** Returns the lower recall of both indexes, 0 to 1. */
async function recallOf({ snapshot }: DraftSnapshot, answers: Answers, progress: Progress): Promise<number> {
  const step = progress.startStep('Recall', 0);
  const { manifest, multilingual } = snapshot;
  const [own = [], others = []] = await answers;
  const first = await measureRecall(snapshot.search, snapshot.vectors, manifest.encoder.dims, own);
  const other = multilingual
    ? await measureRecall(multilingual.search, multilingual.vectors, manifest.multilingual!.dims, others)
    : first;
  const recall = Math.min(first, other);
  step.end(`recall@10 against exact search: ${recall.toFixed(3)}`);
  return recall;
}

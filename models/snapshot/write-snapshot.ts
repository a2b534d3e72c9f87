import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Creative } from '../schema/creative.js';
import { countSources } from '../schema/source.js';
import { DETECTION_VERSION } from '../text/language.js';
import { syncPath, writeDurably } from '../../platform/files/durable.js';
import {
  BUILDING,
  FIRST_INDEX,
  type IndexFiles,
  layoutOf,
  MANIFEST,
  MULTILINGUAL_INDEX,
  snapshotDirectory,
  type SnapshotFile,
} from './layout.js';
import { loadSearchable, type SearchableSnapshot } from './load-snapshot.js';
import { FORMAT_VERSION, snapshotId, type Manifest } from './manifest.js';
import { measureFile } from './stored-file.js';

/** What a snapshot is made of. */
export interface SnapshotContent extends EncodedCatalogue {
  readonly name: string;
  readonly builtAt: string;
  readonly source: Manifest['source'];
  readonly creatives: readonly Creative[];
  /** As the encoder of other languages places the creatives; null: there is none. */
  readonly multilingual: EncodedCatalogue | null;
}

/** What one encoder makes of the creatives. */
export interface EncodedCatalogue {
  readonly encoder: Manifest['encoder'];
  /** Unit vectors, row-major: position in `creatives` × dims. */
  readonly vectors: Float32Array;
  /** Whether its graph is usearch's. */
  readonly isLarge: boolean;
  /** Writes the graph over `vectors` to a file. */
  readonly saveGraph: (file: string) => Promise<void>;
}

/** A written and checked snapshot that nobody sees yet. */
export interface DraftSnapshot {
  readonly snapshot: SearchableSnapshot;
  /** Gives it its name among the snapshots. It is kept from then on, but not live. */
  keep(): Promise<void>;
  /** Removes it. Does nothing once kept. */
  discard(): Promise<void>;
}

/**
 * Writes a snapshot beside the others, makes it durable and loads it back as the server will: hnswlib reports
 * success on a full disk, so that only reading back proves it. Nothing stays behind when it fails.
 *
 * @throws SnapshotFaultError when what was written is not what was meant
 */
export async function writeSnapshot(dataDir: string, content: SnapshotContent): Promise<DraftSnapshot> {
  const { snapshots } = layoutOf(dataDir);
  const directory = path.join(snapshots, BUILDING + randomBytes(6).toString('hex'));
  await mkdir(directory, { recursive: true });
  const discard = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    await writeFiles(directory, content);
    const snapshot = await loadSearchable(directory, {
      ...content.encoder,
      multilingual: content.multilingual?.encoder,
    });
    return { snapshot, discard, keep: () => keep(directory, dataDir, snapshot) };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** Removes what killed writers left behind. The caller holds the catalogue lock. */
export async function removeLeftovers(dataDir: string): Promise<number> {
  const { snapshots } = layoutOf(dataDir);
  await mkdir(snapshots, { recursive: true });
  const left = (await readdir(snapshots)).filter((name) => name.startsWith(BUILDING));
  for (const name of left) await rm(path.join(snapshots, name), { recursive: true, force: true });
  return left.length;
}

async function writeFiles(directory: string, content: SnapshotContent): Promise<void> {
  await writeDurably(path.join(directory, 'creatives.jsonl'), jsonLines(content.creatives));
  await writeIndex(directory, content, FIRST_INDEX);
  if (content.multilingual !== null) await writeIndex(directory, content.multilingual, MULTILINGUAL_INDEX);
  await writeDurably(
    path.join(directory, MANIFEST),
    `${JSON.stringify(await describe(directory, content), null, 2)}\n`,
  );
  await syncPath(directory);
}

async function writeIndex(
  directory: string,
  { vectors, isLarge, saveGraph }: EncodedCatalogue,
  files: IndexFiles,
): Promise<void> {
  const graph = path.join(directory, graphOf(isLarge, files));
  await writeDurably(path.join(directory, files.vectors), partsOf(vectors));
  await saveGraph(graph);
  await syncPath(graph);
}

/** As bytes, in parts: of more than four gigabytes there is no one view. */
function* partsOf(vectors: Float32Array): Generator<Uint8Array> {
  for (let from = 0; from < vectors.byteLength; from += PART) {
    const length = Math.min(PART, vectors.byteLength - from);
    yield new Uint8Array(vectors.buffer, vectors.byteOffset + from, length);
  }
}
const PART = 1 << 24;

function graphOf(isLarge: boolean, files: IndexFiles): SnapshotFile {
  return isLarge ? files.largeGraph : files.graph;
}

async function describe(directory: string, content: SnapshotContent): Promise<Manifest> {
  const { name, builtAt, source, encoder, multilingual } = content;
  const measured = (file: SnapshotFile) => measureFile(path.join(directory, file));
  const measuredIndex = async ({ isLarge }: EncodedCatalogue, files: IndexFiles) => {
    const graph = graphOf(isLarge, files);
    return { [files.vectors]: await measured(files.vectors), [graph]: await measured(graph) };
  };
  const described = {
    formatVersion: FORMAT_VERSION,
    name,
    source,
    encoder,
    ...(multilingual && { multilingual: multilingual.encoder }),
    counts: { creatives: content.creatives.length },
    files: {
      'creatives.jsonl': await measured('creatives.jsonl'),
      ...(await measuredIndex(content, FIRST_INDEX)),
      ...(multilingual && (await measuredIndex(multilingual, MULTILINGUAL_INDEX))),
    } as Manifest['files'],
  } as const;
  const sources = countSources(content.creatives);
  const id = snapshotId(described);
  return { id, builtAt, ...described, telling: DETECTION_VERSION, ...(sources === undefined ? {} : { sources }) };
}

async function keep(directory: string, dataDir: string, { id, manifest }: SearchableSnapshot): Promise<void> {
  const place = snapshotDirectory(dataDir, id);
  const same = await loadSearchable(place, { ...manifest.encoder, multilingual: manifest.multilingual }).then(
    () => true,
    () => false,
  );
  if (same) return rm(directory, { recursive: true, force: true });
  // Absent, or damaged on the disk since: the new one takes its place.
  await rm(place, { recursive: true, force: true });
  await rename(directory, place);
  return syncPath(path.dirname(place));
}

/** In parts: of a million creatives there is no one string. */
function* jsonLines(creatives: readonly Creative[]): Generator<string> {
  for (let from = 0; from < creatives.length; from += 1000) {
    const some = creatives.slice(from, from + 1000);
    yield some.map((creative) => `${JSON.stringify(creative)}\n`).join('');
  }
}

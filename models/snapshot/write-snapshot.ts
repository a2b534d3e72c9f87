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

/** The input of a snapshot. */
export interface SnapshotContent extends EncodedCatalogue {
  readonly name: string;
  readonly builtAt: string;
  readonly source: Manifest['source'];
  readonly creatives: readonly Creative[];
  /** Version of the rules by which all images of the creatives were checked; null: some may not be. */
  readonly pictures: number | null;
  /** The creatives as embedded by the encoder for other languages; null: there is none. */
  readonly multilingual: EncodedCatalogue | null;
}

/** One encoder's vectors of the creatives, and the graph over them. */
export interface EncodedCatalogue {
  readonly encoder: Manifest['encoder'];
  /** Unit vectors, row-major: position in `creatives` × dims. */
  readonly vectors: Float32Array;
  /** Whether the graph is a usearch graph. */
  readonly usesUsearch: boolean;
  /** Writes the graph over `vectors` to a file. */
  readonly saveGraph: (file: string) => Promise<void>;
}

/** A written and verified snapshot that is not yet visible. */
export interface DraftSnapshot {
  readonly snapshot: SearchableSnapshot;
  /** Renames it to its id among the snapshots. It is kept from then on, but not live. */
  keep(): Promise<void>;
  /** Removes it. Does nothing after `keep`. */
  discard(): Promise<void>;
}

/**
 * Writes a snapshot beside the others, makes it durable, and loads it back as the server does: hnswlib reports success
 * on a full disk, so only reading back proves that the files are complete. A failure leaves nothing behind.
 *
 * @throws SnapshotFaultError when the files do not match what was written
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
  { vectors, usesUsearch, saveGraph }: EncodedCatalogue,
  files: IndexFiles,
): Promise<void> {
  const graph = path.join(directory, graphOf(usesUsearch, files));
  await writeDurably(path.join(directory, files.vectors), partsOf(vectors));
  await saveGraph(graph);
  await syncPath(graph);
}

/** Yields the vectors as bytes in parts: one view cannot span more than four gigabytes. */
function* partsOf(vectors: Float32Array): Generator<Uint8Array> {
  for (let from = 0; from < vectors.byteLength; from += PART) {
    const length = Math.min(PART, vectors.byteLength - from);
    yield new Uint8Array(vectors.buffer, vectors.byteOffset + from, length);
  }
}
const PART = 1 << 24;

function graphOf(usesUsearch: boolean, files: IndexFiles): SnapshotFile {
  return usesUsearch ? files.largeGraph : files.graph;
}

async function describe(directory: string, content: SnapshotContent): Promise<Manifest> {
  const { name, builtAt, source, encoder, multilingual, pictures } = content;
  const measured = (file: SnapshotFile) => measureFile(path.join(directory, file));
  const measuredIndex = async ({ usesUsearch }: EncodedCatalogue, files: IndexFiles) => {
    const graph = graphOf(usesUsearch, files);
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
  return {
    id,
    builtAt,
    ...described,
    telling: DETECTION_VERSION,
    ...(pictures !== null && { pictures }),
    ...(sources !== undefined && { sources }),
  };
}

async function keep(directory: string, dataDir: string, { id, manifest }: SearchableSnapshot): Promise<void> {
  const place = snapshotDirectory(dataDir, id);
  const same = await loadSearchable(place, { ...manifest.encoder, multilingual: manifest.multilingual }).then(
    () => true,
    () => false,
  );
  if (same) return rm(directory, { recursive: true, force: true });
  // The snapshot in that place is missing or damaged, so the new one replaces it.
  await rm(place, { recursive: true, force: true });
  await rename(directory, place);
  return syncPath(path.dirname(place));
}

/** Yields the lines in batches: a million creatives exceed the maximum length of a string. */
function* jsonLines(creatives: readonly Creative[]): Generator<string> {
  for (let from = 0; from < creatives.length; from += 1000) {
    const some = creatives.slice(from, from + 1000);
    yield some.map((creative) => `${JSON.stringify(creative)}\n`).join('');
  }
}

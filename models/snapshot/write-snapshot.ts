import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Creative } from '../schema/creative.js';
import { countSources } from '../schema/source.js';
import { TELLING } from '../text/language.js';
import { syncPath, writeDurably } from '../files/durable.js';
import {
  BUILDING,
  FIRST_INDEX,
  type IndexFiles,
  layoutOf,
  MANIFEST,
  MULTILINGUAL_INDEX,
  snapshotDirectory,
} from './layout.js';
import { loadSnapshot, type LoadedSnapshot } from './load-snapshot.js';
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
  /** Writes the graph over `vectors` to a file. */
  readonly saveGraph: (file: string) => Promise<void>;
}

/** A written and checked snapshot that nobody sees yet. */
export interface DraftSnapshot {
  readonly snapshot: LoadedSnapshot;
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
    const snapshot = await loadSnapshot(directory, {
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
  { vectors, saveGraph }: EncodedCatalogue,
  files: IndexFiles,
): Promise<void> {
  const graph = path.join(directory, files.graph);
  const bytes = new Uint8Array(vectors.buffer, vectors.byteOffset, vectors.byteLength);
  await writeDurably(path.join(directory, files.vectors), bytes);
  await saveGraph(graph);
  await syncPath(graph);
}

async function describe(directory: string, content: SnapshotContent): Promise<Manifest> {
  const { name, builtAt, source, encoder, multilingual } = content;
  const measured = (file: string) => measureFile(path.join(directory, file));
  const described = {
    formatVersion: FORMAT_VERSION,
    name,
    source,
    encoder,
    ...(multilingual && { multilingual: multilingual.encoder }),
    counts: { creatives: content.creatives.length },
    files: {
      'creatives.jsonl': await measured('creatives.jsonl'),
      'vectors.f32': await measured('vectors.f32'),
      'graph.hnsw': await measured('graph.hnsw'),
      ...(multilingual && {
        'multilingual.f32': await measured('multilingual.f32'),
        'multilingual.hnsw': await measured('multilingual.hnsw'),
      }),
    },
  } as const;
  const sources = countSources(content.creatives);
  const id = snapshotId(described);
  return { id, builtAt, ...described, telling: TELLING, ...(sources === undefined ? {} : { sources }) };
}

async function keep(directory: string, dataDir: string, { id, manifest }: LoadedSnapshot): Promise<void> {
  const place = snapshotDirectory(dataDir, id);
  const same = await loadSnapshot(place, { ...manifest.encoder, multilingual: manifest.multilingual }).then(
    () => true,
    () => false,
  );
  if (same) return rm(directory, { recursive: true, force: true });
  // Absent, or damaged on the disk since: the new one takes its place.
  await rm(place, { recursive: true, force: true });
  await rename(directory, place);
  return syncPath(path.dirname(place));
}

function jsonLines(creatives: readonly Creative[]): string {
  return creatives.map((creative) => `${JSON.stringify(creative)}\n`).join('');
}

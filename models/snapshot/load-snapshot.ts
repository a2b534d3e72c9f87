import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { catalogueIndex, loadGraph } from '../index/graph.js';
import type { VectorIndex } from '../index/vector-index.js';
import { checker } from '../schema/check.js';
import { indexWords, type SharedWords } from '../scoring/shared-words.js';
import { Creative } from '../schema/creative.js';
import { type Manifest, readManifest, SnapshotFaultError, snapshotId } from './manifest.js';
import { BUILDING, FIRST_INDEX, type IndexFiles, MULTILINGUAL_INDEX } from './layout.js';
import { readStoredFile, verifyStoredFile } from './stored-file.js';

/** A snapshot in memory: a creative's position is its label in `vectors` (row-major) and `index`. */
export interface LoadedSnapshot extends StoredCatalogue {
  readonly index: VectorIndex;
  readonly words: SharedWords;
  /** The same creatives as the encoder of other languages places them; null: it was not asked for, or is not there. */
  readonly multilingual: LoadedSnapshot | null;
}

/** A snapshot without its graph. */
export interface StoredCatalogue {
  readonly id: string;
  readonly manifest: Manifest;
  readonly creatives: readonly Creative[];
  readonly vectors: Float32Array;
}

/** The encoder that a snapshot must have been made with. */
export interface ExpectedEncoder {
  readonly fingerprint: string;
  readonly dims: number;
  /** That of other languages, whose part of the snapshot is then loaded too where it has one. */
  readonly multilingual?: ExpectedEncoder | null | undefined;
}

/**
 * Loads a snapshot and checks everything that its manifest promises. Files are read in pieces and rows parsed in
 * batches, so that the event loop is never blocked for long.
 *
 * @throws SnapshotFaultError naming the field or file that does not match
 */
export async function loadSnapshot(directory: string, encoder: ExpectedEncoder): Promise<LoadedSnapshot> {
  const catalogue = await loadCatalogue(directory, encoder);
  const index = await loadIndex(directory, catalogue, encoder.dims, FIRST_INDEX);
  const words = await indexWords(
    catalogue.creatives.map(({ name, text, advertiser }) => `${name} ${text ?? ''} ${advertiser ?? ''}`),
  );
  const first = { ...catalogue, index, words, multilingual: null };
  return { ...first, multilingual: await loadMultilingual(directory, first, encoder.multilingual) };
}

/** @returns null without an encoder to use it, and where the snapshot was made without this one */
async function loadMultilingual(
  directory: string,
  first: LoadedSnapshot,
  encoder: ExpectedEncoder | null | undefined,
): Promise<LoadedSnapshot | null> {
  const made = first.manifest.multilingual;
  if (!encoder || made?.fingerprint !== encoder.fingerprint || made.dims !== encoder.dims) return null;
  const vectors = await readVectors(directory, first.manifest, encoder.dims, MULTILINGUAL_INDEX);
  const part = { ...first, vectors };
  return { ...part, index: await loadIndex(directory, part, encoder.dims, MULTILINGUAL_INDEX) };
}

async function loadIndex(
  directory: string,
  { id, manifest, vectors }: StoredCatalogue,
  dims: number,
  { graph: file }: IndexFiles,
): Promise<VectorIndex> {
  await verifyStoredFile(directory, manifest, file);
  const graph = await loadGraph(path.join(directory, file), dims).catch((error: unknown) => {
    throw new SnapshotFaultError(id, file, `cannot be loaded: ${(error as Error).message}`);
  });
  const { creatives } = manifest.counts;
  if (graph.size !== creatives) {
    throw new SnapshotFaultError(id, 'counts.creatives', `is ${creatives}, but ${file} holds ${graph.size}`);
  }
  return catalogueIndex(graph, vectors, dims);
}

/** Loads and checks all but the graph. @throws SnapshotFaultError */
export async function loadCatalogue(directory: string, encoder: ExpectedEncoder): Promise<StoredCatalogue> {
  const manifest = await readManifest(directory);
  const { id } = manifest;
  const fault = (field: string, reason: string): SnapshotFaultError => new SnapshotFaultError(id, field, reason);
  const directoryName = path.basename(directory);
  if (directoryName !== id && !directoryName.startsWith(BUILDING)) {
    throw fault('id', `is not the name of its directory, ${directoryName}`);
  }
  if (manifest.encoder.fingerprint !== encoder.fingerprint) {
    const other = `is ${manifest.encoder.fingerprint} (${manifest.encoder.name}), the encoder's is ${encoder.fingerprint}`;
    throw fault('encoder.fingerprint', `${other}; index the feed again with this model`);
  }
  if (manifest.encoder.dims !== encoder.dims) {
    throw fault('encoder.dims', `is ${manifest.encoder.dims}, the encoder's is ${encoder.dims}`);
  }
  checkLength(manifest, encoder.dims, FIRST_INDEX);
  const creatives = await readCreatives(directory, manifest);
  const vectors = await readVectors(directory, manifest, encoder.dims, FIRST_INDEX);
  if (snapshotId(manifest) !== id) throw fault('id', 'does not belong to the manifest; the manifest was altered');
  return { id, manifest, creatives, vectors };
}

/** @returns row-major: label × dims @throws SnapshotFaultError */
export async function readVectors(
  directory: string,
  manifest: Manifest,
  dims: number,
  files: IndexFiles,
): Promise<Float32Array> {
  checkLength(manifest, dims, files);
  return new Float32Array(await readStoredFile(directory, manifest, files.vectors));
}

function checkLength({ id, counts, files }: Manifest, dims: number, { vectors }: IndexFiles): void {
  const expected = counts.creatives * dims * Float32Array.BYTES_PER_ELEMENT;
  const bytes = files[vectors]?.bytes ?? 0;
  if (bytes === expected) return;
  const reason = `is ${counts.creatives}, which asks for ${expected} bytes of ${vectors}, not ${bytes}`;
  throw new SnapshotFaultError(id, 'counts.creatives', reason);
}

const checkCreative = checker(Creative, { wellFormed: false });
// About a millisecond's work between two turns of the event loop.
const BATCH = 100;
const LINE_FEED = 10;

/** Decodes row by row: one string of them all would stop a server for as long as it takes to make. */
async function readCreatives(directory: string, manifest: Manifest): Promise<Creative[]> {
  const { id, counts } = manifest;
  const bytes = Buffer.from(await readStoredFile(directory, manifest, 'creatives.jsonl'));
  const creatives: Creative[] = [];
  for (let from = 0; from < bytes.length;) {
    if (creatives.length % BATCH === 0) await nextTurn();
    const end = bytes.indexOf(LINE_FEED, from);
    const line = bytes.toString('utf8', from, end < 0 ? bytes.length : end);
    creatives.push(readCreative(id, line, creatives.length + 1));
    from = end < 0 ? bytes.length : end + 1;
  }
  if (creatives.length === counts.creatives) return creatives;
  const reason = `is ${counts.creatives}, but creatives.jsonl holds ${creatives.length}`;
  throw new SnapshotFaultError(id, 'counts.creatives', reason);
}

function readCreative(id: string, text: string, line: number): Creative {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SnapshotFaultError(id, 'creatives.jsonl', `line ${line} is not valid JSON`);
  }
  const checked = checkCreative(value);
  if (checked.ok) return checked.value;
  const [fault] = checked.faults;
  throw new SnapshotFaultError(id, 'creatives.jsonl', `line ${line}: ${fault?.field ?? ''} ${fault?.message ?? ''}`);
}

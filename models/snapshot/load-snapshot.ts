import path from 'node:path';
import { catalogueIndex, loadGraph } from '../index/graph.js';
import { type CatalogueSearch, memorySearch } from '../index/catalogue-search.js';
import { buildWordIndex, type WordIndex } from '../scoring/word-index.js';
import { openLargeSearch } from '../usearch/large-search.js';
import { FIRST_INDEX, type IndexFiles, LARGE_FROM, MULTILINGUAL_INDEX, type SnapshotFile } from './layout.js';
import { SnapshotFaultError } from './snapshot-fault.js';
import { checkLength, usesUsearch, readVectors } from './read-vectors.js';
import { verifyStoredFile } from './stored-file.js';
import { type ExpectedEncoder, loadCreatives, type StoredCreatives } from './stored-creatives.js';

/** A snapshot that can serve ads. A creative's position is its label in `search`. */
export interface ServedSnapshot extends StoredCreatives {
  readonly search: CatalogueSearch;
  readonly words: WordIndex;
  /** The same creatives as embedded by the encoder for other languages; null: not requested, or not in the snapshot. */
  readonly multilingual: ServedSnapshot | null;
}

/** A snapshot in memory. A creative's position is also its label in `vectors` (row-major). */
export interface LoadedSnapshot extends SearchableSnapshot, ServedSnapshot {
  readonly multilingual: LoadedSnapshot | null;
}

/** A snapshot that can be searched but not served: it has no word index. */
export interface SearchableSnapshot extends StoredCatalogue, Pick<ServedSnapshot, 'search'> {
  readonly multilingual: SearchableSnapshot | null;
}

/** A snapshot without its graph. */
export interface StoredCatalogue extends StoredCreatives {
  readonly vectors: Float32Array;
}

/**
 * Loads a snapshot and checks everything that its manifest declares. Files are read in chunks and rows are parsed in
 * batches, so that the event loop is never blocked for long.
 *
 * @throws SnapshotFaultError naming the field or file that does not match
 */
export async function loadSnapshot(directory: string, encoder: ExpectedEncoder): Promise<LoadedSnapshot> {
  const { multilingual: other, ...first } = await loadSearchable(directory, encoder);
  const words = await wordIndexOf(first);
  return { ...first, words, multilingual: other && { ...other, words, multilingual: null } };
}

/**
 * Loads and checks a whole snapshot as `loadSnapshot` does, for callers that serve no ads from it. It omits the word
 * index, which is derived from the checked data and takes as long as the rest.
 *
 * @throws SnapshotFaultError
 */
export async function loadSearchable(directory: string, encoder: ExpectedEncoder): Promise<SearchableSnapshot> {
  const catalogue = await loadCatalogue(directory, encoder);
  const search = await loadSearch(directory, catalogue, encoder.dims, FIRST_INDEX);
  const first = { ...catalogue, search, multilingual: null };
  return { ...first, multilingual: await loadMultilingual(directory, first, encoder.multilingual) };
}

/**
 * Checks a snapshot's creatives, its encoder and the checksum of each of its files, without keeping vectors or graphs
 * in memory.
 *
 * @throws SnapshotFaultError naming the field or file that does not match
 */
export async function verifySnapshot(directory: string, encoder: ExpectedEncoder): Promise<StoredCreatives> {
  const stored = await loadCreatives(directory, encoder);
  const files = Object.keys(stored.manifest.files) as SnapshotFile[];
  for (const file of files.filter((name) => name !== 'creatives.jsonl')) {
    await verifyStoredFile(directory, stored.manifest, file);
  }
  return stored;
}

/** Opens a search over one encoder's vectors outside this process's memory. */
export type OpenSearch = (snapshot: StoredCreatives, files: IndexFiles, dims: number) => Promise<CatalogueSearch>;

/**
 * Loads a snapshot whose vectors are searched elsewhere. It makes the checks of `loadSnapshot` except those of the
 * graphs, and keeps neither graphs nor vectors in memory.
 *
 * @throws SnapshotFaultError naming the field or file that does not match; whatever `openSearch` throws
 */
export async function loadWithoutVectors(
  directory: string,
  encoder: ExpectedEncoder,
  openSearch: OpenSearch,
): Promise<ServedSnapshot> {
  const stored = await loadCreatives(directory, encoder);
  const searchOf = async (files: IndexFiles, dims: number): Promise<CatalogueSearch> => {
    checkLength(stored.manifest, dims, files);
    await verifyStoredFile(directory, stored.manifest, files.vectors);
    return openSearch(stored, files, dims);
  };
  const search = await searchOf(FIRST_INDEX, encoder.dims);
  const first = { ...stored, search, words: await wordIndexOf(stored), multilingual: null };
  const { multilingual: other } = encoder;
  if (!other || !hasPartOf(other, stored)) return first;
  return { ...first, multilingual: { ...first, search: await searchOf(MULTILINGUAL_INDEX, other.dims) } };
}

function wordIndexOf({ creatives }: StoredCreatives): Promise<WordIndex> {
  const texts = function* (): Iterable<string> {
    for (const { name, text, advertiser } of creatives) yield `${name} ${text ?? ''} ${advertiser ?? ''}`;
  };
  return buildWordIndex(texts(), { inThread: creatives.length >= LARGE_FROM });
}

/** Returns whether a snapshot includes vectors of this encoder for other languages. */
function hasPartOf({ fingerprint, dims }: ExpectedEncoder, { manifest }: StoredCreatives): boolean {
  return manifest.multilingual?.fingerprint === fingerprint && manifest.multilingual.dims === dims;
}

/** @returns null without an encoder, or if the snapshot was not made with it */
async function loadMultilingual(
  directory: string,
  first: SearchableSnapshot,
  encoder: ExpectedEncoder | null | undefined,
): Promise<SearchableSnapshot | null> {
  if (!encoder || !hasPartOf(encoder, first)) return null;
  const vectors = await readVectors(directory, first.manifest, encoder.dims, MULTILINGUAL_INDEX);
  const part = { ...first, vectors };
  return { ...part, search: await loadSearch(directory, part, encoder.dims, MULTILINGUAL_INDEX) };
}

async function loadSearch(
  directory: string,
  { id, manifest, creatives, vectors }: StoredCatalogue,
  dims: number,
  files: IndexFiles,
): Promise<CatalogueSearch> {
  const large = usesUsearch(manifest, files);
  const name = large ? files.largeGraph : files.graph;
  const file = path.join(directory, name);
  await verifyStoredFile(directory, manifest, name);
  const notLoaded = (error: unknown): never => {
    throw new SnapshotFaultError(id, name, `cannot be loaded: ${(error as Error).message}`);
  };
  if (large) return openLargeSearch({ file, dims, vectors, creatives }).catch(notLoaded);
  const graph = await loadGraph(file, dims).catch(notLoaded);
  if (graph.size !== creatives.length) {
    throw new SnapshotFaultError(id, 'counts.creatives', `is ${creatives.length}, but ${name} holds ${graph.size}`);
  }
  return memorySearch(catalogueIndex(graph, vectors, dims), vectors, dims);
}

/** Loads and checks everything except the graph. @throws SnapshotFaultError */
export async function loadCatalogue(directory: string, encoder: ExpectedEncoder): Promise<StoredCatalogue> {
  const stored = await loadCreatives(directory, encoder);
  return { ...stored, vectors: await readVectors(directory, stored.manifest, encoder.dims, FIRST_INDEX) };
}

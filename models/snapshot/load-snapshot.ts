import path from 'node:path';
import { catalogueIndex, loadGraph } from '../index/graph.js';
import { type CatalogueSearch, memorySearch } from '../index/catalogue-search.js';
import { indexWords, type SharedWords } from '../scoring/shared-words.js';
import { openLargeSearch } from '../usearch/large-search.js';
import { FIRST_INDEX, type IndexFiles, MULTILINGUAL_INDEX } from './layout.js';
import { SnapshotFaultError } from './snapshot-fault.js';
import { checkLength, isLarge, readVectors } from './read-vectors.js';
import { verifyStoredFile } from './stored-file.js';
import { type ExpectedEncoder, loadCreatives, type StoredCreatives } from './stored-creatives.js';

/** A snapshot that can be answered from: a creative's position is its label in `search`. */
export interface ServedSnapshot extends StoredCreatives {
  readonly search: CatalogueSearch;
  readonly words: SharedWords;
  /** The same creatives as the encoder of other languages places them; null: it was not asked for, or is not there. */
  readonly multilingual: ServedSnapshot | null;
}

/** A snapshot in memory: a creative's position is its label in `vectors` (row-major) too. */
export interface LoadedSnapshot extends SearchableSnapshot, ServedSnapshot {
  readonly multilingual: LoadedSnapshot | null;
}

/** One that nothing is answered from: without the index of words. */
export interface SearchableSnapshot extends StoredCatalogue, Pick<ServedSnapshot, 'search'> {
  readonly multilingual: SearchableSnapshot | null;
}

/** A snapshot without its graph. */
export interface StoredCatalogue extends StoredCreatives {
  readonly vectors: Float32Array;
}

/**
 * Loads a snapshot and checks everything that its manifest promises. Files are read in pieces and rows parsed in
 * batches, so that the event loop is never blocked for long.
 *
 * @throws SnapshotFaultError naming the field or file that does not match
 */
export async function loadSnapshot(directory: string, encoder: ExpectedEncoder): Promise<LoadedSnapshot> {
  const { multilingual: other, ...first } = await loadSearchable(directory, encoder);
  const words = await indexWords(wordsOf(first));
  return { ...first, words, multilingual: other && { ...other, words, multilingual: null } };
}

/**
 * Loads and checks all of a snapshot as `loadSnapshot` does, for those who answer nothing from it: the index of words, which
 * follows from what was checked, takes as long as the rest.
 *
 * @throws SnapshotFaultError
 */
export async function loadSearchable(directory: string, encoder: ExpectedEncoder): Promise<SearchableSnapshot> {
  const catalogue = await loadCatalogue(directory, encoder);
  const search = await loadSearch(directory, catalogue, encoder.dims, FIRST_INDEX);
  const first = { ...catalogue, search, multilingual: null };
  return { ...first, multilingual: await loadMultilingual(directory, first, encoder.multilingual) };
}

/** Where the vectors of one encoder are searched, instead of in memory. */
export type OpenSearch = (snapshot: StoredCreatives, files: IndexFiles, dims: number) => Promise<CatalogueSearch>;

/**
 * Loads a snapshot whose vectors are searched elsewhere. Checked as by `loadSnapshot` but for the graphs, of which and of
 * the vectors nothing is kept in memory.
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
  const first = { ...stored, search, words: await indexWords(wordsOf(stored)), multilingual: null };
  const { multilingual: other } = encoder;
  if (!other || !hasPartOf(other, stored)) return first;
  return { ...first, multilingual: { ...first, search: await searchOf(MULTILINGUAL_INDEX, other.dims) } };
}

/** In which words that a conversation shares are looked for. */
function wordsOf({ creatives }: StoredCreatives): string[] {
  return creatives.map(({ name, text, advertiser }) => `${name} ${text ?? ''} ${advertiser ?? ''}`);
}

/** Whether a snapshot was made with this encoder of other languages. */
function hasPartOf({ fingerprint, dims }: ExpectedEncoder, { manifest }: StoredCreatives): boolean {
  return manifest.multilingual?.fingerprint === fingerprint && manifest.multilingual.dims === dims;
}

/** @returns null without an encoder to use it, and where the snapshot was made without this one */
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
  const large = isLarge(manifest, files);
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

/** Loads and checks all but the graph. @throws SnapshotFaultError */
export async function loadCatalogue(directory: string, encoder: ExpectedEncoder): Promise<StoredCatalogue> {
  const stored = await loadCreatives(directory, encoder);
  return { ...stored, vectors: await readVectors(directory, stored.manifest, encoder.dims, FIRST_INDEX) };
}

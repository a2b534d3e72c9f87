import path from 'node:path';

/** The files of one snapshot other than its manifest. */
export type SnapshotFile = 'creatives.jsonl' | IndexFile;
type IndexFile =
  'vectors.f32' | 'graph.hnsw' | 'graph.usearch' | 'multilingual.f32' | 'multilingual.hnsw' | 'multilingual.usearch';

/** File names of one encoder's vectors and of the graph over them. */
export interface IndexFiles {
  readonly vectors: IndexFile;
  /** The hnswlib graph. */
  readonly graph: IndexFile;
  /** The usearch graph, which replaces the hnswlib graph in a large catalogue. */
  readonly largeGraph: IndexFile;
}
/** Files of the first encoder: the English one, or the only one. */
export const FIRST_INDEX: IndexFiles = { vectors: 'vectors.f32', graph: 'graph.hnsw', largeGraph: 'graph.usearch' };
/** Files of the encoder for other languages. */
export const MULTILINGUAL_INDEX: IndexFiles = {
  vectors: 'multilingual.f32',
  graph: 'multilingual.hnsw',
  largeGraph: 'multilingual.usearch',
};

/**
 * Catalogues of at least this many creatives use usearch graphs, searched in a separate thread. Smaller ones use
 * hnswlib graphs, searched in the main thread.
 */
export const LARGE_FROM = 20_000;

export const MANIFEST = 'manifest.json';

/** Prefix of directories that are being written, or that were left by a killed writer. */
export const BUILDING = '.building-';

/** Names within DATA_DIR, under which nodes also share them. */
export const POINTER = 'current';
export const HISTORY = 'snapshot-history.jsonl';
export const LANDING_URLS = 'landing-urls.json';
export const SNAPSHOTS = 'snapshots';
export const IMAGES = 'images';

/** Paths of the catalogue's parts below `DATA_DIR`. */
export interface Layout {
  readonly snapshots: string;
  /** The pointer: the id of the live snapshot, followed by the ids of earlier live ones. */
  readonly current: string;
  /** What was live and when; append-only. */
  readonly history: string;
  readonly images: string;
  readonly landingUrls: string;
}

export function layoutOf(dataDir: string): Layout {
  return {
    snapshots: path.join(dataDir, SNAPSHOTS),
    current: path.join(dataDir, POINTER),
    history: path.join(dataDir, HISTORY),
    images: path.join(dataDir, IMAGES),
    landingUrls: path.join(dataDir, LANDING_URLS),
  };
}

/** Returns the directory of a snapshot. */
export function snapshotDirectory(dataDir: string, id: string): string {
  return path.join(layoutOf(dataDir).snapshots, id);
}

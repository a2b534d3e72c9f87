import path from 'node:path';

/** The files of one snapshot, beside its manifest. */
export type SnapshotFile = 'creatives.jsonl' | IndexFile;
type IndexFile =
  'vectors.f32' | 'graph.hnsw' | 'graph.usearch' | 'multilingual.f32' | 'multilingual.hnsw' | 'multilingual.usearch';

/** Where the vectors of one encoder lie, and the graph over them. */
export interface IndexFiles {
  readonly vectors: IndexFile;
  /** By hnswlib. */
  readonly graph: IndexFile;
  /** By usearch, instead of the other: that of a large catalogue. */
  readonly largeGraph: IndexFile;
}
/** Those of the encoder that reads English, or whatever comes. */
export const FIRST_INDEX: IndexFiles = { vectors: 'vectors.f32', graph: 'graph.hnsw', largeGraph: 'graph.usearch' };
/** Those of the encoder that reads other languages. */
export const MULTILINGUAL_INDEX: IndexFiles = {
  vectors: 'multilingual.f32',
  graph: 'multilingual.hnsw',
  largeGraph: 'multilingual.usearch',
};

/** From so many creatives on the graphs are usearch's, searched in a thread of their own; below it hnswlib's, in the process itself. */
export const LARGE_FROM = 20_000;

export const MANIFEST = 'manifest.json';

/** Names of directories that are still being written; left over when their writer was killed. */
export const BUILDING = '.building-';

/** Names within DATA_DIR, under which nodes share them. */
export const POINTER = 'current';
export const HISTORY = 'snapshot-history.jsonl';
export const LANDING_URLS = 'landing-urls.json';
export const SNAPSHOTS = 'snapshots';
export const IMAGES = 'images';

/** Where a catalogue's parts lie below `DATA_DIR`. */
export interface Layout {
  readonly snapshots: string;
  /** The pointer: the id of the live snapshot, and below it those that were live before. */
  readonly current: string;
  /** What was live from when until when; only ever added to. */
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

/** The directory of one snapshot. */
export function snapshotDirectory(dataDir: string, id: string): string {
  return path.join(layoutOf(dataDir).snapshots, id);
}

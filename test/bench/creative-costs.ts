import { readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { buildGraph } from '../../models/index/graph.js';
import { catalogueDims, readProfile } from '../../models/encoder/profile.js';
import { loadSnapshot } from '../../models/snapshot/load-snapshot.js';
import { LARGE_FROM } from '../../models/snapshot/layout.js';
import { writeSnapshot } from '../../models/snapshot/write-snapshot.js';
import { buildLargeGraph } from '../../models/usearch/large-graph.js';
import { openLargeSearch } from '../../models/usearch/large-search.js';
import { testCreative } from '../support/test-snapshot.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { syntheticVectors } from './synthetic-vectors.js';
import { processorTime, residentBytes } from './processor-time.js';

/** The costs of a creative in a large catalogue. */
export interface CreativeCosts {
  /** Bytes of its snapshot on disk. */
  readonly snapshotBytes: number;
  /** Bytes of server memory. */
  readonly memoryBytes: number;
  /** Processor milliseconds to load it, including checksums. */
  readonly load: number;
  /** Processor milliseconds to insert it into the graphs. */
  readonly graph: number;
  /** Processor milliseconds of one search for 50 among all of them. */
  readonly search: number;
  /**
   * Processor milliseconds of one search for 50 in a large catalogue on the event loop; the rest runs in the search
   * thread.
   */
  readonly largeSearch: number;
}

const QUERIES = 200;
const DEPTH = 50;

/** Measures with synthetic vectors that have the dimensions of the model and of its multilingual companion, if any. */
export async function creativeCosts(model: string, size = 4000): Promise<CreativeCosts> {
  const profile = readProfile(model, '');
  const dims = catalogueDims(profile);
  const otherDims = profile.multilingual?.dims ?? 0;
  const folder = temporaryDirectory();
  try {
    const begun = processorTime(process.pid).main;
    const vectors = syntheticVectors(size, dims);
    const made = processorTime(process.pid).main;
    const graph = buildGraph(vectors, dims);
    const other = otherDims === 0 ? null : part(size, otherDims);
    const graphMs = processorTime(process.pid).main - made - (made - begun) * (otherDims / dims);
    const text = 'What the shop has, what it costs, and why somebody would go there rather than elsewhere.';
    const draft = await writeSnapshot(folder, {
      name: 'made',
      builtAt: new Date(0).toISOString(),
      source: { format: 'made', digest: '0'.repeat(64) },
      encoder: { name: 'made', fingerprint: 'made', dims },
      creatives: Array.from({ length: size }, (_, at) => testCreative(`c${at}`, { text, advertiser: `Shop ${at}` })),
      vectors,
      usesUsearch: false,
      saveGraph: (file) => graph.save(file),
      pictures: null,
      multilingual: other,
    });
    await draft.keep();
    const directory = path.join(folder, 'snapshots', draft.snapshot.id);
    const bytes = readdirSync(directory).map((file) => statSync(path.join(directory, file)).size);
    const queries = Array.from({ length: QUERIES }, (_, at) => vectors.slice(at * dims, (at + 1) * dims));
    const search = await each(queries, (query) => graph.nearest(query, DEPTH));
    const before = { memory: residentBytes(process.pid), time: processorTime(process.pid).all };
    const multilingual = other === null ? null : { fingerprint: 'other', dims: otherDims };
    const loaded = await loadSnapshot(directory, { fingerprint: 'made', dims, multilingual });
    const memory = residentBytes(process.pid) - before.memory;
    return {
      snapshotBytes: bytes.reduce((sum, one) => sum + one, 0) / size,
      memoryBytes: memory / loaded.creatives.length,
      load: (processorTime(process.pid).all - before.time) / size,
      graph: graphMs / size,
      search,
      largeSearch: await largeSearch(folder, dims),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function part(size: number, dims: number) {
  const vectors = syntheticVectors(size, dims);
  const graph = buildGraph(vectors, dims);
  return {
    encoder: { name: 'other', fingerprint: 'other', dims },
    vectors,
    usesUsearch: false,
    saveGraph: (file: string) => graph.save(file),
  };
}

async function largeSearch(folder: string, dims: number): Promise<number> {
  const made = syntheticVectors(LARGE_FROM, dims);
  const vectors = new Float32Array(new SharedArrayBuffer(made.byteLength));
  vectors.set(made);
  const file = path.join(folder, 'graph.usearch');
  buildLargeGraph({ vectors, dims, file });
  const creatives = Array.from({ length: LARGE_FROM }, (_, at) => testCreative(`c${at}`));
  const search = await openLargeSearch({ file, dims, vectors, creatives });
  const queries = Array.from({ length: 10 * QUERIES }, (_, at) => vectors.slice(at * dims, (at + 1) * dims));
  return each(queries, (query) => search.nearest(query, DEPTH, []));
}

async function each(queries: readonly Float32Array[], search: (query: Float32Array) => unknown): Promise<number> {
  const begun = processorTime(process.pid).main;
  for (const query of queries) await search(query);
  return (processorTime(process.pid).main - begun) / queries.length;
}

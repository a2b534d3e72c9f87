import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { NEIGHBOURS, sampleQueries } from '../../indexer/exact-neighbours.js';
import { fingerprintOf } from '../../models/encoder/fingerprint.js';
import { PROFILES, readProfile } from '../../models/encoder/profile.js';
import type { SearchFilter } from '../../models/index/catalogue-search.js';
import { buildGraph } from '../../models/index/graph.js';
import { exactIndex } from '../../models/index/vector-index.js';
import type { FeedRow } from '../../models/schema/creative.js';
import { loadSnapshot, type LoadedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { readPointer } from '../../models/snapshot/pointer.js';
import { LARGE_FROM } from '../../models/snapshot/layout.js';
import { publish } from '../../models/snapshot/publish.js';
import { writeSnapshot } from '../../models/snapshot/write-snapshot.js';
import { buildLargeGraph } from '../../models/usearch/large-graph.js';
import { Installation } from '../support/installation.js';
import { testCreative } from '../support/test-snapshot.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { syntheticVectors } from './synthetic-vectors.js';
import { duration, quantile, table } from './table.js';

const DEPTH = 50;
/** One creative in this many declares German. */
const GERMAN = 50;
/** One creative in this many gets another text. */
const CHANGED = 100;
const ROUNDING = 1e-5;
/** How often each of the hundred queries is asked. */
const ROUNDS = 3;

/**
 * Measures a catalogue that is too large for one core and one turn of the event loop, with synthetic vectors of the
 * dimensions of `PROFILE=fast`: building, loading and searching its graph, and the effect on the event loop; then the
 * indexer's command with one in a hundred texts changed. Builds graphs of both libraries side by side over the first
 * 20,000.
 */
export async function benchLarge(size = 100_000): Promise<string> {
  const adjacent = new Installation(temporaryDirectory(), {
    WORKERS: '2',
    PROFILE: 'fast',
    LANGUAGES: 'en',
    NODE_OPTIONS: `--max-old-space-size=${Math.ceil(8000 * (size / 1e6)) + 2000}`,
  });
  try {
    return await measure(adjacent, size);
  } finally {
    await rm(adjacent.dataDir, { recursive: true });
  }
}

async function measure(adjacent: Installation, size: number): Promise<string> {
  const profile = readProfile(`${PROFILES.fast}?languages=en`, '');
  const { dims } = profile;
  const encoder = { name: profile.name, fingerprint: await fingerprintOf(profile), dims };
  const rows: string[][] = [];
  const add = (what: string, ...figures: string[]): number => rows.push([what, ...figures, ''].slice(0, 3));

  const changed = Math.floor(size / CHANGED);
  const all = syntheticVectors(size + changed, dims);
  const vectors = all.subarray(0, size * dims);
  const small = vectors.subarray(0, Math.min(size, LARGE_FROM) * dims);
  const hnswlib = await timed(() => void buildGraph(small, dims));
  const usearch = await timed(() => build(small, dims, path.join(adjacent.dataDir, 'small')));
  add(`graph over ${small.length / dims}: hnswlib`, duration(hnswlib), '1');
  add(`graph over ${small.length / dims}: usearch`, duration(usearch), (hnswlib / usearch).toFixed(1));

  const feed = Array.from({ length: size + changed }, (_, at) => row(at));
  const publishMade = async (some: readonly FeedRow[], of: Float32Array): Promise<number> => {
    let took = 0;
    const draft = await writeSnapshot(adjacent.dataDir, {
      name: 'made',
      builtAt: new Date().toISOString(),
      source: { format: 'made', digest: '0'.repeat(64) },
      encoder,
      creatives: some.map(({ id, ...fields }) => testCreative(id, fields)),
      vectors: of,
      usesUsearch: true,
      saveGraph: async (file) => void (took = await timed(() => build(of, dims, file))),
      pictures: null,
      multilingual: null,
    });
    await draft.keep();
    await publish(adjacent.dataDir, draft.snapshot.id);
    return took;
  };
  await publishMade(feed.slice(size), all.subarray(size * dims));
  add(`graph over ${size}`, duration(await publishMade(feed.slice(0, size), vectors)));

  const directory = path.join(adjacent.dataDir, 'snapshots', (await readPointer(adjacent.dataDir))[0]!);
  const delay = watchEventLoop();
  let snapshot: LoadedSnapshot | undefined;
  const loading = await timed(async () => void (snapshot = await loadSnapshot(directory, encoder)));
  add('snapshot loaded', duration(loading), `event loop ${delay.most()}`);
  for (const line of await searches(snapshot!, dims)) rows.push(line);

  // Texts of the other snapshot replace some texts of the first.
  const next = feed
    .slice(0, size)
    .map((each, at) => (at % CHANGED === 0 ? { ...feed[size + at / CHANGED]!, id: each.id } : each));
  const file = path.join(adjacent.dataDir, 'feed.jsonl');
  writeFileSync(file, '');
  for (let from = 0; from < size; from += 10_000)
    writeFileSync(
      file,
      next
        .slice(from, from + 10_000)
        .map((each) => `${JSON.stringify(each)}\n`)
        .join(''),
      { flag: 'a' },
    );
  let out = '';
  const indexing = await timed(async () => void (out = await adjacent.run('indexer/main.js', file, '--brief')));
  add('indexed with 1 % of other texts, vectors known', duration(indexing));
  for (const [, step, took] of out.matchAll(/^([A-Z]\w+): .*\(([0-9.]+) s\)$/gm))
    add(`· ${step!.toLowerCase()}`, `${took} s`);
  add('· ' + (/graph [^()]*/.exec(out)?.[0] ?? 'graph?').trim(), '');
  add('· ' + (/recall@10[^()]*/.exec(out)?.[0] ?? 'recall?').trim(), '');
  return table(['a catalogue of ' + size.toLocaleString('en'), 'took', ''], rows);
}

async function searches({ search, vectors }: LoadedSnapshot, dims: number): Promise<string[][]> {
  const exact = exactIndex(vectors, dims);
  const queries = sampleQueries(vectors, dims);
  const truth = queries.map((query) => exact.search(query, NEIGHBOURS).at(-1)!.similarity - ROUNDING);
  const ask = async (name: string, filter?: SearchFilter): Promise<string[]> => {
    const delay = watchEventLoop();
    const took: number[] = [];
    let right = 0;
    for (const [at, query] of Array.from({ length: ROUNDS }, () => [...queries.entries()]).flat()) {
      const begun = performance.now();
      const { near } = await search.nearest(query, DEPTH, [], filter);
      took.push(performance.now() - begun);
      right += near.slice(0, NEIGHBOURS).filter(({ similarity }) => similarity >= truth[at]!).length;
    }
    const recall = filter === undefined ? `, recall@10 ${(right / NEIGHBOURS / took.length).toFixed(3)}` : '';
    const [middle, most] = [0.5, 0.99].map((share) => duration(quantile(took, share)));
    return [name, `p50 ${middle}, p99 ${most}${recall}`, `event loop ${delay.most()}`];
  };
  await ask('');
  const isGerman = (label: number): boolean => label % GERMAN === 0;
  const exclusions = () => ({ categories: [], advertisers: [], languagesOtherThan: ['de'], countriesOtherThan: null });
  return [
    await ask('search'),
    await ask('· the half of them', { accept: (label) => label % 2 === 0 }),
    await ask('· a language that 2 % declare', { accept: isGerman, exclusions }),
  ];
}

/** Measures the longest delay of the event loop, from now on. */
function watchEventLoop(): { most(): string } {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  return {
    most() {
      delay.disable();
      return `≤ ${duration(delay.max / 1e6)}`;
    },
  };
}

function build(vectors: Float32Array, dims: number, file: string): void {
  buildLargeGraph({ vectors, dims, file });
}

async function timed(work: () => void | Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** All but one in fifty declare English. */
function row(at: number): FeedRow & { text: string } {
  return {
    id: `c${at}`,
    name: `Shop ${at}`,
    text: `What the shop has, what it costs, and why somebody would go there rather than elsewhere: everything about ${at}.`,
    landingUrl: `https://shop.example/${at}`,
    language: at % GERMAN === 0 ? 'de' : 'en',
  };
}

import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fingerprintOf } from '../../models/encoder/fingerprint.js';
import { PROFILES, readProfile } from '../../models/encoder/profile.js';
import { buildGraph } from '../../models/index/graph.js';
import type { FeedRow } from '../../models/schema/creative.js';
import { LARGE_FROM } from '../../models/snapshot/layout.js';
import { publish } from '../../models/snapshot/publish.js';
import { writeSnapshot } from '../../models/snapshot/write-snapshot.js';
import { buildLargeGraph } from '../../models/usearch/large-graph.js';
import { Installation } from '../support/installation.js';
import { testCreative } from '../support/test-snapshot.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { syntheticVectors } from './synthetic-vectors.js';
import { duration, table } from './table.js';

const sample = fileURLToPath(new URL('../../../indexer/sample/creatives.jsonl', import.meta.url));
/** Share of the rows that change between two runs. */
const CHANGED = 0.01;

/**
 * Measures the indexer's command on a feed, then on the same feed with 1 % of its rows changed. With 6,000 creatives,
 * texts are really embedded and then changed. With 100,000, vectors are synthetic, including those of the changed
 * texts, which are in another kept snapshot: real vectors among synthetic ones would form a separate cluster, which no
 * catalogue has.
 *
 * @param real number of creatives to embed; 0 for none
 * @param large number of creatives with synthetic vectors; 0 for none
 */
export async function benchIndexing(large = 100_000, real = 6000): Promise<string> {
  const rows: string[][] = [];
  if (real > 0) {
    const size = real.toLocaleString('en');
    const full = await realFeed(real);
    rows.push(
      [`${size}: full index`, duration(full.full), '1'],
      [`${size}: 1 % reworded`, duration(full.changed), (full.full / full.changed).toFixed(1)],
    );
  }
  if (large > 0) {
    const size = large.toLocaleString('en');
    const made = await syntheticFeed(large);
    rows.push(
      [`${size}: graph alone (synthetic vectors)`, duration(made.graph), '1'],
      [`${size}: 1 % with new addresses`, duration(made.moved), (made.graph / made.moved).toFixed(1)],
      [`${size}: 1 % reworded, vectors known`, duration(made.reworded), (made.graph / made.reworded).toFixed(1)],
      [`${size}: of that, building`, duration(made.building), (made.graph / made.building).toFixed(1)],
    );
  }
  return table(['indexing', 'took', 'times faster'], rows);
}

async function realFeed(size: number): Promise<{ full: number; changed: number }> {
  return withInstallation(async (adjacent, feed) => {
    const rows = variations(size);
    const { took: full } = await index(adjacent, feed, rows);
    return { full, changed: (await index(adjacent, feed, someOf(rows, reword))).took };
  });
}

async function syntheticFeed(size: number) {
  return withInstallation(async (adjacent, feed) => {
    const profile = readProfile(`${PROFILES.fast}?languages=en`, '');
    const { dims } = profile;
    const encoder = { name: profile.name, fingerprint: await fingerprintOf(profile), dims };
    const rows = Array.from({ length: size }, (_, at) => made(at));
    const news = rows.filter(isChanged).map(reword);
    const all = syntheticVectors(size + news.length, dims);
    const publishMade = async (some: readonly FeedRow[], vectors: Float32Array): Promise<number> => {
      let took = 0;
      const usesUsearch = some.length >= LARGE_FROM;
      const draft = await writeSnapshot(adjacent.dataDir, {
        name: 'made',
        builtAt: new Date().toISOString(),
        source: { format: 'made', digest: '0'.repeat(64) },
        encoder,
        creatives: some.map((row) => testCreative(row.id, { ...row, writtenIn: 'en' })),
        vectors,
        usesUsearch,
        saveGraph: async (file) => {
          const begun = performance.now();
          if (usesUsearch) buildLargeGraph({ vectors, dims, file });
          else await buildGraph(vectors, dims).save(file);
          took = performance.now() - begun;
        },
        pictures: null,
        multilingual: null,
      });
      await draft.keep();
      await publish(adjacent.dataDir, draft.snapshot.id);
      return took;
    };
    await publishMade(news, all.subarray(size * dims));
    const graph = await publishMade(rows, all.subarray(0, size * dims));
    const moved = await index(
      adjacent,
      feed,
      someOf(rows, (row) => ({ ...row, landingUrl: `${row.landingUrl}?moved` })),
    );
    const reworded = await index(adjacent, feed, someOf(rows, reword));
    return { graph, moved: moved.took, reworded: reworded.took, building: stepOf(reworded.out, 'Building') };
  });
}

/** Returns the milliseconds of an indexer step, from its output. */
function stepOf(out: string, step: string): number {
  return Number(new RegExp(`^${step}: .*\\(([0-9.]+) s\\)$`, 'm').exec(out)?.[1]) * 1000;
}

async function withInstallation<T>(work: (adjacent: Installation, feed: string) => Promise<T>): Promise<T> {
  const adjacent = new Installation(temporaryDirectory(), { WORKERS: '2', PROFILE: 'fast', LANGUAGES: 'en' });
  try {
    return await work(adjacent, path.join(adjacent.dataDir, 'feed.jsonl'));
  } finally {
    await rm(adjacent.dataDir, { recursive: true });
  }
}

async function index(adjacent: Installation, feed: string, rows: readonly FeedRow[]) {
  writeFileSync(feed, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const begun = performance.now();
  const out = await adjacent.run('indexer/main.js', feed, '--brief');
  return { took: performance.now() - begun, out };
}

const TOWNS =
  'Aldbury Brackwell Coldmere Dunford Eastleigh Farrow Glenholt Harwick Islay Kelso Linden Marrow Norbury Oakham Penrith Quayle Rothley'.split(
    ' ',
  );

/** Returns the sample's creatives in many towns, and repeatedly in each town for large sizes. */
function variations(size: number): FeedRow[] {
  const rows = readFileSync(sample, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as FeedRow);
  return Array.from({ length: size }, (_, at) => {
    const { id, name, text, landingUrl, categories } = rows[at % rows.length]!;
    const town = TOWNS[Math.floor(at / rows.length) % TOWNS.length]!;
    const round = Math.floor(at / (rows.length * TOWNS.length));
    const where = round === 0 ? town : `${town} ${round + 1}`;
    return { id: `${id}-${at}`, name: `${name} in ${where}`, text, landingUrl, ...(categories && { categories }) };
  });
}

function made(at: number): FeedRow & { text: string } {
  return {
    id: `c${at}`,
    name: `Shop ${at}`,
    text: `What the shop has, what it costs, and why somebody would go there rather than elsewhere: everything about ${at}.`,
    landingUrl: `https://shop.example/${at}`,
  };
}

function reword<R extends FeedRow>(row: R): R {
  return { ...row, text: `${row.text} Now open on Sundays.` };
}

function isChanged(_: unknown, at: number): boolean {
  return at % (1 / CHANGED) === 0;
}

function someOf<R extends FeedRow>(rows: readonly R[], change: (row: R) => R): R[] {
  return rows.map((row, at) => (isChanged(row, at) ? change(row) : row));
}

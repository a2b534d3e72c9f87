import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fingerprintOf } from '../../models/encoder/fingerprint.js';
import { PROFILES, readProfile } from '../../models/encoder/profile.js';
import { buildGraph } from '../../models/index/graph.js';
import type { FeedRow } from '../../models/schema/creative.js';
import { publish } from '../../models/snapshot/publish.js';
import { writeSnapshot } from '../../models/snapshot/write-snapshot.js';
import { Installation } from '../support/installation.js';
import { madeCreative } from '../support/made-snapshot.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { madeVectors } from './made-vectors.js';
import { duration, table } from './table.js';

const sample = fileURLToPath(new URL('../../../indexer/sample/creatives.jsonl', import.meta.url));
/** Share of the rows that change between two runs. */
const CHANGED = 0.01;

/**
 * The indexer's command on a feed, then on the same feed with a hundredth of its rows changed. 6,000 creatives are
 * embedded for real, and their texts change; 100,000 start from made vectors, and their addresses change, since real
 * vectors among made ones would be a cloud of their own, which no catalogue has.
 */
export async function benchIndexing(large = 100_000): Promise<string> {
  const full = await realFeed(6000);
  const rows = [
    ['6,000: full index', duration(full.full), '1'],
    ['6,000: 1 % changed', duration(full.changed), (full.full / full.changed).toFixed(1)],
  ];
  if (large > 0) {
    const made = await madeFeed(large);
    const size = large.toLocaleString('en');
    rows.push(
      [`${size}: graph alone (made vectors)`, duration(made.graph), '1'],
      [`${size}: 1 % changed`, duration(made.changed), (made.graph / made.changed).toFixed(1)],
    );
  }
  return table(['indexing', 'took', 'times faster'], rows);
}

async function realFeed(size: number): Promise<{ full: number; changed: number }> {
  return withInstallation(async (adjacent, feed) => {
    const rows = variations(size);
    const full = await index(adjacent, feed, rows);
    const reworded = someOf(rows, (row) => ({ ...row, text: `${row.text} Now open on Sundays.` }));
    return { full, changed: await index(adjacent, feed, reworded) };
  });
}

async function madeFeed(size: number): Promise<{ graph: number; changed: number }> {
  return withInstallation(async (adjacent, feed) => {
    const profile = readProfile(PROFILES.fast, '');
    const rows = Array.from({ length: size }, (_, at) => made(at));
    const vectors = madeVectors(size, profile.dims);
    const begun = performance.now();
    const graph = buildGraph(vectors, profile.dims);
    const took = performance.now() - begun;
    const draft = await writeSnapshot(adjacent.dataDir, {
      name: 'made',
      builtAt: new Date().toISOString(),
      source: { format: 'made', digest: '0'.repeat(64) },
      encoder: { name: profile.name, fingerprint: await fingerprintOf(profile), dims: profile.dims },
      creatives: rows.map((row) => madeCreative(row.id, row)),
      vectors,
      saveGraph: (file) => graph.save(file),
      multilingual: null,
    });
    await draft.keep();
    await publish(adjacent.dataDir, draft.snapshot.id);
    const moved = someOf(rows, (row) => ({ ...row, landingUrl: `${row.landingUrl}?moved` }));
    return { graph: took, changed: await index(adjacent, feed, moved) };
  });
}

async function withInstallation<T>(work: (adjacent: Installation, feed: string) => Promise<T>): Promise<T> {
  const adjacent = new Installation(temporaryDirectory(), { WORKERS: '2' });
  try {
    return await work(adjacent, path.join(adjacent.dataDir, 'feed.jsonl'));
  } finally {
    await rm(adjacent.dataDir, { recursive: true });
  }
}

async function index(adjacent: Installation, feed: string, rows: readonly FeedRow[]): Promise<number> {
  writeFileSync(feed, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const begun = performance.now();
  await adjacent.run('indexer/main.js', feed);
  return performance.now() - begun;
}

const TOWNS =
  'Aldbury Brackwell Coldmere Dunford Eastleigh Farrow Glenholt Harwick Islay Kelso Linden Marrow Norbury Oakham Penrith Quayle Rothley'.split(
    ' ',
  );

/** The sample's creatives, each in many towns. */
function variations(size: number): FeedRow[] {
  const rows = readFileSync(sample, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as FeedRow);
  return Array.from({ length: size }, (_, at) => {
    const { id, name, text, landingUrl, categories } = rows[at % rows.length]!;
    const town = TOWNS[Math.floor(at / rows.length) % TOWNS.length]!;
    return { id: `${id}-${at}`, name: `${name} in ${town}`, text, landingUrl, ...(categories && { categories }) };
  });
}

function made(at: number): FeedRow & { text: string } {
  return {
    id: `c${at}`,
    name: `Shop ${at}`,
    text: `Everything about ${at}.`,
    landingUrl: `https://shop.example/${at}`,
  };
}

function someOf(rows: readonly FeedRow[], change: (row: FeedRow) => FeedRow): FeedRow[] {
  return rows.map((row, at) => (at % (1 / CHANGED) === 0 ? change(row) : row));
}

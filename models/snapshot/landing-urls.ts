import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type, type Static } from '#typebox';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { changeDocument } from '../../platform/cluster/documents.js';
import { checker, requireValid } from '../schema/check.js';
import type { Creative } from '../schema/creative.js';
import { sourceOf } from '../schema/source.js';
import { replaceDurably } from '../../platform/files/durable.js';
import { LANDING_URLS, layoutOf } from './layout.js';

const Moment = Type.String({ format: 'date-time' });
const Entry = Type.Object({
  landingUrl: Type.String(),
  leftAt: Type.Union([Type.Null(), Moment]),
  /** The feed that has, or had, the creative; absent in older tables. */
  source: Type.Optional(Type.String()),
});
export type LandingUrl = Static<typeof Entry>;
const checkEntry = checker(Entry, { wellFormed: false });
const checkTable = checker(
  Type.Object({ creatives: Type.Record(Type.String(), Type.Unknown()), images: Type.Record(Type.String(), Moment) }),
  { wellFormed: false },
);

const NO_TABLE: LandingUrls = { creatives: new Map(), images: new Map() };
// A few milliseconds of work between two turns of the event loop.
const BATCH = 1000;

/** Landing URLs of all creatives that can still be clicked. */
export interface LandingUrls {
  /**
   * By creative id. `leftAt` is when the last kept snapshot that names the creative was removed; null while one is
   * kept.
   */
  readonly creatives: ReadonlyMap<string, LandingUrl>;
  /** When each image left the last kept snapshot, by file name. Images still in use are not listed. */
  readonly images: ReadonlyMap<string, string>;
}

/** A table with the text from which it was parsed. */
export interface StoredLandingUrls {
  readonly table: LandingUrls;
  /** Null: there was no table. */
  readonly text: string | null;
  /** A sentence on what a damaged table has lost; null: it is intact. */
  readonly damage: string | null;
}

/**
 * Reads the table of landing URLs.
 *
 * @returns the table; empty if there is none yet
 * @throws Error when the file is not a valid table
 */
export async function readLandingUrls(dataDir: string): Promise<LandingUrls> {
  const file = layoutOf(dataDir).landingUrls;
  try {
    return await parseTable(await readFile(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NO_TABLE;
    const advice = 'the next index run rebuilds it from the kept snapshots';
    throw new Error(`${file} cannot be used (${(error as Error).message}); ${advice}`, { cause: error });
  }
}

/**
 * Returns the table with its text, for a caller that replaces it by what the kept snapshots name. A damaged table
 * counts as empty: its text is kept beside it, since only it, or a backup, has the landing URLs of creatives that left.
 *
 * @throws Error when the file cannot be read, or its text cannot be kept
 */
export async function readLandingUrlsToReplace(dataDir: string): Promise<StoredLandingUrls> {
  const file = layoutOf(dataDir).landingUrls;
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return { table: NO_TABLE, text, damage: null };
  try {
    return { table: await parseTable(text), text, damage: null };
  } catch (error) {
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
    const kept = `${file}.damaged-${digest}`;
    await replaceDurably(kept, text);
    const damage =
      `${file} was damaged (${(error as Error).message}) and is rebuilt from the kept snapshots. Links of ads that ` +
      `are in none of them return 404. The damaged table is kept as ${path.basename(kept)}.`;
    return { table: NO_TABLE, text, damage };
  }
}

// One JSON text, so that every release can read it. One creative per line, so that it can be parsed in batches.
const BEFORE_CREATIVES = '{"creatives":{\n';
const BEFORE_IMAGES = '\n},"images":{\n';
const END = '\n}}\n';

function tableText({ creatives, images }: LandingUrls): string {
  const lines = (members: ReadonlyMap<string, unknown>): string =>
    Array.from(members, ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',\n');
  return `${BEFORE_CREATIVES}${lines(creatives)}${BEFORE_IMAGES}${lines(images)}${END}`;
}

/** Parses a table. @throws Error when the text is not a valid table */
async function parseTable(text: string): Promise<LandingUrls> {
  const end = text.lastIndexOf(BEFORE_IMAGES);
  const inLines = text.startsWith(BEFORE_CREATIVES) && end > 0;
  const rest = inLines ? `{"creatives":{},${text.slice(end + '\n},'.length)}` : text;
  const { creatives, images } = requireValid(checkTable(JSON.parse(rest)));
  const members = inLines
    ? membersIn(text, BEFORE_CREATIVES.length, end)
    : // As releases before 2026-11-28 wrote it.
      Object.entries(creatives);
  const entries = new Map<string, LandingUrl>();
  for (const [id, entry] of members) {
    if (entries.size % BATCH === 0) await nextTurn();
    entries.set(id, requireValid(checkEntry(entry)));
  }
  return { creatives: entries, images: new Map(Object.entries(images)) };
}

/** Yields the members of an object that are written one per line between two offsets of a text. @throws SyntaxError */
function* membersIn(text: string, from: number, end: number): Generator<[string, unknown]> {
  for (let at = from; at < end;) {
    const next = text.indexOf('\n', at);
    const member = text.slice(at, text[next - 1] === ',' ? next - 1 : next);
    yield* Object.entries(JSON.parse(`{${member}}`) as object);
    at = next + 1;
  }
}

/** Returns when the table was last replaced, in epoch milliseconds; 0 if there is none. */
export async function landingUrlsChangedAt(dataDir: string): Promise<number> {
  const stats = await stat(layoutOf(dataDir).landingUrls).catch(() => null);
  return stats?.mtimeMs ?? 0;
}

/** The cluster that shares a table, and the text from which this node derived its new table; null: there was none. */
export interface SharedLandingUrls {
  readonly cluster: Cluster;
  readonly madeOf: string | null;
}

/**
 * Replaces the table if it differs. The caller holds the catalogue lock.
 *
 * @param shared null for a single node
 * @throws Error when another node has changed the shared table since and this node has lost the lock; nothing is
 *   changed then
 */
export async function writeLandingUrls(
  dataDir: string,
  table: LandingUrls,
  shared: SharedLandingUrls | null,
): Promise<void> {
  const text = tableText(table);
  if (shared !== null) {
    return changeDocument(shared.cluster, LANDING_URLS, async (known) => {
      if (known === null || known === shared.madeOf) return { text, result: undefined };
      throw new Error('the shared landing URLs have changed since this node read them; nothing was changed');
    });
  }
  const file = layoutOf(dataDir).landingUrls;
  if (text !== (await readFile(file, 'utf8').catch(() => ''))) await replaceDurably(file, text);
}

/**
 * Adds a snapshot's creatives to the table that nodes share before the snapshot goes live: a node that has not loaded
 * it yet may get clicks on its ads. Creatives already in the table keep their address until then. A damaged table is
 * left as it is; the next removal of outdated data replaces it. The caller holds the catalogue lock.
 */
export async function shareLandingUrls(cluster: Cluster, added: Iterable<Creative>): Promise<void> {
  await changeDocument(cluster, LANDING_URLS, async (before) => {
    const table = before === null ? NO_TABLE : await parseTable(before).catch(() => null);
    if (table === null) return { text: before, result: undefined };
    const creatives = new Map(table.creatives);
    let isNew = false;
    for (const creative of added) {
      const { id, landingUrl } = creative;
      // A creative that may still be clicked keeps its address until the snapshot is live.
      if (creatives.has(id)) continue;
      creatives.set(id, { landingUrl, leftAt: null, source: sourceOf(creative) });
      isNew = true;
    }
    return { text: isNew ? tableText({ ...table, creatives }) : before, result: undefined };
  });
}

import { readFile, stat } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type, type Static } from 'typebox';
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
  /** Whose feed it is or was in; absent where an older table did not say. */
  source: Type.Optional(Type.String()),
});
export type LandingUrl = Static<typeof Entry>;
const checkEntry = checker(Entry, { wellFormed: false });
const checkTable = checker(
  Type.Object({ creatives: Type.Record(Type.String(), Type.Unknown()), images: Type.Record(Type.String(), Moment) }),
  { wellFormed: false },
);

const NO_TABLE: LandingUrls = { creatives: new Map(), images: new Map() };
// A few milliseconds' work, between two turns of the event loop.
const BATCH = 1000;

/** Where every creative leads that a person may still click on. */
export interface LandingUrls {
  /** By creative; `leftAt` is when the last kept snapshot that names it went, null while there is one. */
  readonly creatives: ReadonlyMap<string, LandingUrl>;
  /** When images left the last kept snapshot, by file name; those still named are not listed. */
  readonly images: ReadonlyMap<string, string>;
}

/** A table, and the text that it was read from. */
export interface StoredLandingUrls {
  readonly table: LandingUrls;
  /** Null: there was none. */
  readonly text: string | null;
}

/**
 * Reads the table creative → landing address.
 *
 * @returns the table; empty when there is none yet
 * @throws Error when it is not one
 */
export async function readLandingUrls(dataDir: string): Promise<LandingUrls> {
  return (await readStoredLandingUrls(dataDir)).table;
}

/** The same with its text, for whoever writes what is made of it. @throws Error when it is no table */
export async function readStoredLandingUrls(dataDir: string): Promise<StoredLandingUrls> {
  const file = layoutOf(dataDir).landingUrls;
  try {
    const text = await readFile(file, 'utf8');
    return { table: await parseTable(text), text };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { table: NO_TABLE, text: null };
    const advice = 'without it, it is made anew from the kept snapshots';
    throw new Error(`${file} cannot be used (${(error as Error).message}); ${advice}`, { cause: error });
  }
}

// One JSON text, so that every release can read it, with a line for each creative, so that it can be read in turns.
const BEFORE_CREATIVES = '{"creatives":{\n';
const BEFORE_IMAGES = '\n},"images":{\n';
const END = '\n}}\n';

function tableText({ creatives, images }: LandingUrls): string {
  const lines = (members: ReadonlyMap<string, unknown>): string =>
    Array.from(members, ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',\n');
  return `${BEFORE_CREATIVES}${lines(creatives)}${BEFORE_IMAGES}${lines(images)}${END}`;
}

/** @throws Error when the text is no table */
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

/** The members of an object that stand each on a line between two places of a text. @throws SyntaxError */
function* membersIn(text: string, from: number, end: number): Generator<[string, unknown]> {
  for (let at = from; at < end;) {
    const next = text.indexOf('\n', at);
    const member = text.slice(at, text[next - 1] === ',' ? next - 1 : next);
    yield* Object.entries(JSON.parse(`{${member}}`) as object);
    at = next + 1;
  }
}

/** When the table was last replaced, in epoch milliseconds; 0 when there is none. */
export async function landingUrlsChangedAt(dataDir: string): Promise<number> {
  const stats = await stat(layoutOf(dataDir).landingUrls).catch(() => null);
  return stats?.mtimeMs ?? 0;
}

/** The nodes that share a table, and the text that this node has made it of; null: there was none. */
export interface SharedLandingUrls {
  readonly cluster: Cluster;
  readonly madeOf: string | null;
}

/**
 * Replaces the table, where it differs. The caller holds the catalogue lock.
 *
 * @param shared null: this node is alone
 * @throws Error when another node has changed the shared one since, and this node has lost the lock; nothing has changed then
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
      throw new Error('the landing addresses are others than this node has read; what nodes share stays as it is');
    });
  }
  const file = layoutOf(dataDir).landingUrls;
  if (text !== (await readFile(file, 'utf8').catch(() => ''))) await replaceDurably(file, text);
}

/**
 * Adds the creatives of a snapshot to the table that nodes share, before it is live: a node that has not loaded it yet may be
 * asked where they lead. Those that it has keep their address until then. A damaged table is left to whoever makes it anew. The caller holds the catalogue lock.
 */
export async function shareLandingUrls(cluster: Cluster, added: Iterable<Creative>): Promise<void> {
  await changeDocument(cluster, LANDING_URLS, async (before) => {
    const table = before === null ? NO_TABLE : await parseTable(before).catch(() => null);
    if (table === null) return { text: before, result: undefined };
    const creatives = new Map(table.creatives);
    let isNew = false;
    for (const creative of added) {
      const { id, landingUrl } = creative;
      // Where one leads that clicks may still come for does not change before the snapshot is live.
      if (creatives.has(id)) continue;
      creatives.set(id, { landingUrl, leftAt: null, source: sourceOf(creative) });
      isNew = true;
    }
    return { text: isNew ? tableText({ ...table, creatives }) : before, result: undefined };
  });
}

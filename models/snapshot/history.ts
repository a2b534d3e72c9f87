import { Type, type Static } from 'typebox';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { appendToLog } from '../../platform/cluster/logs.js';
import { appendDurably } from '../../platform/files/append-durably.js';
import { linesBackwards } from '../../platform/files/lines.js';
import { checker } from '../schema/check.js';
import { HISTORY, layoutOf, snapshotDirectory } from './layout.js';
import { readManifest } from './manifest.js';
import { type Publication, readPublications } from './pointer.js';

const Nullable = <T extends ReturnType<typeof Type.String | typeof Type.Integer>>(type: T) =>
  Type.Union([type, Type.Null()]);

/** One change of what is live. Null: not noted, since an older version or a broken-off run made it. */
const Entry = Type.Object({
  at: Nullable(Type.String({ format: 'date-time' })),
  id: Type.String(),
  name: Nullable(Type.String()),
  creatives: Nullable(Type.Integer()),
  how: Type.Union([Type.Literal('publish'), Type.Literal('rollback'), Type.Null()]),
  /** Who did it, in words. */
  by: Nullable(Type.String()),
});
type Entry = Static<typeof Entry>;

const checkEntry = checker(Entry, { wellFormed: false });

/** A snapshot's time as the live one. */
export interface LivePeriod extends Omit<Entry, 'at'> {
  readonly from: string | null;
  /** Null: it is live now. */
  readonly until: string | null;
}

/** A publication that has taken place: the pointer is moved already. */
export interface NewEntry {
  readonly live: Publication;
  readonly how: 'publish' | 'rollback';
  readonly by: string | null;
  /** What the pointer said before. */
  readonly before: readonly Publication[];
  /** The nodes that share the history; null: there are none. */
  readonly cluster: Cluster | null;
}

/** Names are cut to so many characters. */
const NAME = 200;

/**
 * Adds to the history, which is never rewritten, that a snapshot went live. What an earlier run could not add is added
 * before it, as far as the pointer knows it. The caller holds the catalogue lock.
 */
export async function addToHistory(dataDir: string, { live, how, by, before, cluster }: NewEntry): Promise<void> {
  const add = (entry: Entry): Promise<void> => {
    const lines = [JSON.stringify(entry)];
    return cluster === null ? appendDurably(layoutOf(dataDir).history, lines) : appendToLog(cluster, HISTORY, lines);
  };
  const known = await readEntries(dataDir, 1);
  for (const missed of missedBy(known, before)) await add(await entryOf(dataDir, missed));
  await add({ ...(await entryOf(dataDir, live)), how, by: by?.slice(0, NAME) ?? null });
}

/**
 * What was live from when until when, the live one first.
 *
 * @param most how many periods
 */
export async function readHistory(dataDir: string, most = Infinity): Promise<readonly LivePeriod[]> {
  const known = await readEntries(dataDir, most);
  const missed = missedBy(known, await readPublications(dataDir));
  const entries = [...known, ...(await Promise.all(missed.map((publication) => entryOf(dataDir, publication))))];
  const periods = entries.map(({ at, ...entry }, place) => ({
    ...entry,
    from: at,
    until: entries[place + 1]?.at ?? null,
  }));
  return periods.toReversed().slice(0, most);
}

/** Publications that the history lacks, oldest first: the pointer's first one, or all where there is no history yet. */
function missedBy(known: readonly Entry[], pointer: readonly Publication[]): Publication[] {
  const last = known.at(-1);
  if (last === undefined) return pointer.toReversed();
  const [live] = pointer;
  return live === undefined || (live.id === last.id && live.publishedAt === last.at) ? [] : [live];
}

async function entryOf(dataDir: string, { id, publishedAt }: Publication): Promise<Entry> {
  const manifest = await readManifest(snapshotDirectory(dataDir, id)).catch(() => null);
  const about = { name: manifest?.name.slice(0, NAME) ?? null, creatives: manifest?.counts.creatives ?? null };
  return { at: publishedAt, id, ...about, how: null, by: null };
}

/** The latest entries, oldest first. A line that a crash cut short is left out. */
async function readEntries(dataDir: string, most: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const { text } of linesBackwards(layoutOf(dataDir).history)) {
    const checked = checkEntry(parsed(text));
    if (checked.ok) entries.push(checked.value);
    if (entries.length >= most) break;
  }
  return entries.toReversed();
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

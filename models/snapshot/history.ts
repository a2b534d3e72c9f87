import { Type, type Static } from '#typebox';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { appendToLog } from '../../platform/cluster/logs.js';
import { appendDurably } from '../../platform/files/append-durably.js';
import { linesBackwards } from '../../platform/files/lines.js';
import { checker } from '../schema/check.js';
import { HISTORY, layoutOf, snapshotDirectory } from './layout.js';
import { readManifest } from './manifest.js';
import { type PointerEntry, readPublications } from './pointer.js';

const Nullable = <T extends ReturnType<typeof Type.String | typeof Type.Integer>>(type: T) =>
  Type.Union([type, Type.Null()]);

/**
 * One change of the live snapshot. Null fields were not recorded: an older version or an interrupted run made the
 * change.
 */
const Entry = Type.Object({
  at: Nullable(Type.String({ format: 'date-time' })),
  id: Type.String(),
  name: Nullable(Type.String()),
  creatives: Nullable(Type.Integer()),
  how: Type.Union([Type.Literal('publish'), Type.Literal('rollback'), Type.Null()]),
  /** Who published or rolled back, as text. */
  by: Nullable(Type.String()),
});
type Entry = Static<typeof Entry>;

const checkEntry = checker(Entry, { wellFormed: false });

/** A period during which a snapshot was live. */
export interface LivePeriod extends Omit<Entry, 'at'> {
  readonly from: string | null;
  /** Null: it is live now. */
  readonly until: string | null;
}

/** A publication that has taken place: the pointer has already moved. */
export interface NewEntry {
  readonly live: PointerEntry;
  readonly how: 'publish' | 'rollback';
  readonly by: string | null;
  /** The pointer's content before the change. */
  readonly before: readonly PointerEntry[];
  /** The cluster that shares the history; null for a single node. */
  readonly cluster: Cluster | null;
}

/** Maximum length of names in the history, in characters. */
const NAME = 200;

/**
 * Appends an entry for a snapshot that went live; the history is append-only. Publications that an earlier run failed
 * to record are added first, as far as the pointer names them. The caller holds the catalogue lock.
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

/** Returns what was live and when, the live snapshot first. @param max maximum number of periods */
export async function readHistory(dataDir: string, max = Infinity): Promise<readonly LivePeriod[]> {
  const known = await readEntries(dataDir, max);
  const missed = missedBy(known, await readPublications(dataDir));
  const entries = [...known, ...(await Promise.all(missed.map((publication) => entryOf(dataDir, publication))))];
  const periods = entries.map(({ at, ...entry }, index) => ({
    ...entry,
    from: at,
    until: entries[index + 1]?.at ?? null,
  }));
  return periods.toReversed().slice(0, max);
}

/**
 * Returns publications that the history lacks, oldest first: the live one, or all that the pointer names if there is no
 * history yet.
 */
function missedBy(known: readonly Entry[], pointer: readonly PointerEntry[]): PointerEntry[] {
  const last = known.at(-1);
  if (last === undefined) return pointer.toReversed();
  const [live] = pointer;
  return live === undefined || (live.id === last.id && live.publishedAt === last.at) ? [] : [live];
}

async function entryOf(dataDir: string, { id, publishedAt }: PointerEntry): Promise<Entry> {
  const manifest = await readManifest(snapshotDirectory(dataDir, id)).catch(() => null);
  const about = { name: manifest?.name.slice(0, NAME) ?? null, creatives: manifest?.counts.creatives ?? null };
  return { at: publishedAt, id, ...about, how: null, by: null };
}

/** Returns the latest entries, oldest first. Lines cut short by a crash are skipped. */
async function readEntries(dataDir: string, max: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const { text } of linesBackwards(layoutOf(dataDir).history)) {
    const checked = checkEntry(parsed(text));
    if (checked.ok) entries.push(checked.value);
    if (entries.length >= max) break;
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

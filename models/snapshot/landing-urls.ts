import { readFile, stat } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type, type Static } from 'typebox';
import type { Cluster } from '../cluster/cluster.js';
import { replaceDocument } from '../cluster/documents.js';
import { checker, requireValid } from '../schema/check.js';
import { replaceDurably } from '../files/durable.js';
import { LANDING_URLS, layoutOf } from './layout.js';

const Moment = Type.String({ format: 'date-time' });
const Entry = Type.Object({ landingUrl: Type.String(), leftAt: Type.Union([Type.Null(), Moment]) });
const checkEntry = checker(Entry, { wellFormed: false });
const checkTable = checker(
  Type.Object({ creatives: Type.Record(Type.String(), Type.Unknown()), images: Type.Record(Type.String(), Moment) }),
  { wellFormed: false },
);

// A few milliseconds' work, between two turns of the event loop.
const BATCH = 1000;

/** Where every creative leads that a person may still click on. */
export interface LandingUrls {
  /** By creative; `leftAt` is when the last kept snapshot that names it went, null while there is one. */
  readonly creatives: ReadonlyMap<string, Static<typeof Entry>>;
  /** When images left the last kept snapshot, by file name; those still named are not listed. */
  readonly images: ReadonlyMap<string, string>;
}

/**
 * Reads the table creative → landing address.
 *
 * @returns the table; empty when there is none yet
 * @throws Error when it is not one
 */
export async function readLandingUrls(dataDir: string): Promise<LandingUrls> {
  const file = layoutOf(dataDir).landingUrls;
  try {
    const { creatives, images } = requireValid(checkTable(JSON.parse(await readFile(file, 'utf8'))));
    const entries = new Map<string, Static<typeof Entry>>();
    for (const [id, entry] of Object.entries(creatives)) {
      if (entries.size % BATCH === 0) await nextTurn();
      entries.set(id, requireValid(checkEntry(entry)));
    }
    return { creatives: entries, images: new Map(Object.entries(images)) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { creatives: new Map(), images: new Map() };
    const advice = 'without it, it is made anew from the kept snapshots';
    throw new Error(`${file} cannot be used (${(error as Error).message}); ${advice}`, { cause: error });
  }
}

/** When the table was last replaced, in epoch milliseconds; 0 when there is none. */
export async function landingUrlsChangedAt(dataDir: string): Promise<number> {
  const stats = await stat(layoutOf(dataDir).landingUrls).catch(() => null);
  return stats?.mtimeMs ?? 0;
}

/** Replaces the table, where it differs. The caller holds the catalogue lock. */
export async function writeLandingUrls(
  dataDir: string,
  { creatives, images }: LandingUrls,
  cluster: Cluster | null,
): Promise<void> {
  const file = layoutOf(dataDir).landingUrls;
  const stored = { creatives: Object.fromEntries(creatives), images: Object.fromEntries(images) };
  const text = `${JSON.stringify(stored)}\n`;
  if (text === (await readFile(file, 'utf8').catch(() => ''))) return;
  await (cluster === null ? replaceDurably(file, text) : replaceDocument(cluster, LANDING_URLS, text));
}

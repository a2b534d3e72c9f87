import { DEFAULT_SOURCE } from '../schema/source.js';
import type { LandingUrl } from './landing-urls-format.js';

/**
 * The table is one text, and texts of V8 have at most 536 million characters. A source that replaces its ids every day
 * must not use that up for all. About three million creatives.
 */
export const MAX_CHARACTERS = 400_000_000;
/** What an entry takes besides its id and URL. */
const PER_ENTRY = 100;

/**
 * Removes the creatives that left longest ago while the table is too long, each of the source that has most of them.
 *
 * @returns how many of each source were removed
 */
export function dropOldest(creatives: Map<string, LandingUrl>, maxCharacters: number): ReadonlyMap<string, number> {
  const left = new Map<string, LeftCreatives>();
  let total = 0;
  for (const [id, { leftAt, landingUrl, source = DEFAULT_SOURCE }] of creatives) {
    const length = id.length + landingUrl.length + PER_ENTRY;
    total += length;
    if (leftAt === null) continue;
    const ofSource = left.get(source) ?? { total: 0, entries: [] };
    ofSource.total += length;
    ofSource.entries.push({ id, leftAt, length });
    left.set(source, ofSource);
  }
  const dropped = new Map<string, number>();
  if (total <= maxCharacters) return dropped;
  // The oldest last, to be taken from the end.
  for (const { entries } of left.values()) entries.sort((one, other) => other.leftAt.localeCompare(one.leftAt));
  while (total > maxCharacters) {
    const [source, largest] = [...left].toSorted(([, one], [, other]) => other.total - one.total)[0] ?? [];
    const oldest = largest?.entries.pop();
    if (source === undefined || largest === undefined || oldest === undefined) break;
    creatives.delete(oldest.id);
    largest.total -= oldest.length;
    total -= oldest.length;
    dropped.set(source, (dropped.get(source) ?? 0) + 1);
  }
  return dropped;
}

/** The creatives that have left a source, and how long their entries are together. */
interface LeftCreatives {
  total: number;
  readonly entries: { readonly id: string; readonly leftAt: string; readonly length: number }[];
}

import type { Creative } from '../models/schema/creative.js';
import type { FeedCreative } from './feed/check-feed.js';
import { describePlace, type FeedFault, type Place } from './feed/feed-entry.js';

/** What became of a row: compared with what was live before. */
export type Fate = 'new' | 'changed' | 'unchanged' | 'skipped' | 'removed';

/** Every row's fate, and that of every creative that was live and stands in the feed no more. */
export interface Told {
  readonly fate: Fate;
  /** null: not in the feed. */
  readonly place: Place | null;
  /** null: the row has no usable id. */
  readonly id: string | null;
}

/** Compares the feed with what was live. */
export function tellFates(
  rows: readonly FeedCreative[],
  faults: readonly FeedFault[],
  live: readonly Creative[],
): readonly Told[] {
  const before = new Map(live.map((creative) => [creative.id, JSON.stringify(creative)]));
  const kept = rows.map(({ place, creative }): Told => {
    const earlier = before.get(creative.id);
    before.delete(creative.id);
    const fate = earlier === undefined ? 'new' : earlier === JSON.stringify(creative) ? 'unchanged' : 'changed';
    return { fate, place, id: creative.id };
  });
  const skipped = new Map(faults.flatMap(({ place }) => (place === null ? [] : [[describePlace(place), place]])));
  return [
    ...kept,
    ...[...skipped.values()].map((place): Told => ({ fate: 'skipped', place, id: null })),
    ...[...before.keys()].map((id): Told => ({ fate: 'removed', place: null, id })),
  ];
}

const LISTED = 8;

/** A line for each fate: how many, and which (all of them when `verbose`). */
export function describeFates(told: readonly Told[], verbose: boolean): string[] {
  return (['new', 'changed', 'unchanged', 'removed', 'skipped'] as const).map((fate) => {
    const members = told.filter((one) => one.fate === fate);
    const listed = members.slice(0, verbose ? members.length : fate === 'unchanged' ? 0 : LISTED).map(describe);
    const more = members.length - listed.length;
    const rest = more > 0 && listed.length > 0 ? ` and ${more.toLocaleString('en')} more (all with --verbose)` : '';
    const which = listed.length === 0 ? '' : `  ${listed.join(', ')}${rest}`;
    return `  ${fate.padEnd(9)} ${members.length.toLocaleString('en').padStart(9)}${which}`;
  });
}

function describe({ place, id }: Told): string {
  if (place === null) return id ?? '';
  return id === null ? describePlace(place) : `${id} (${describePlace(place)})`;
}

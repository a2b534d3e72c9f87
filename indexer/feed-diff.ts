import { isDeepStrictEqual } from 'node:util';
import type { Creative } from '../models/schema/creative.js';
import type { FeedCreative } from './feed/check-feed.js';
import { firstOf } from '../platform/command-line/first-of.js';
import { describePosition, type FeedFault, type FeedPosition } from './feed/feed-entry.js';

/** How a row differs from the live creative of the same id. */
export type Change = 'new' | 'changed' | 'unchanged' | 'skipped' | 'removed';

/** A change of one row of the feed, or of a live creative that the feed no longer has. */
export interface RowChange {
  readonly change: Change;
  /** null: not in the feed. */
  readonly position: FeedPosition | null;
  /** null: the row has no usable id. */
  readonly id: string | null;
}

/** Compares the feed with the live rows of its source. */
export function diffFeed(
  rows: readonly FeedCreative[],
  faults: readonly FeedFault[],
  live: readonly Creative[],
): readonly RowChange[] {
  const before = new Map(live.map((creative) => [creative.id, creative]));
  const kept = rows.map(({ position, creative }): RowChange => {
    const earlier = before.get(creative.id);
    before.delete(creative.id);
    const change = earlier === undefined ? 'new' : isDeepStrictEqual(earlier, creative) ? 'unchanged' : 'changed';
    return { change, position, id: creative.id };
  });
  const skipped = new Map(
    faults.flatMap(({ position }) => (position === null ? [] : [[describePosition(position), position]])),
  );
  return [
    ...kept,
    ...[...skipped.values()].map((position): RowChange => ({ change: 'skipped', position, id: null })),
    ...[...before.keys()].map((id): RowChange => ({ change: 'removed', position: null, id })),
  ];
}

const LISTED = 8;

/** Returns a line per kind of change: how many rows, and which (all of them if `verbose`). */
export function describeDiff(changes: readonly RowChange[], verbose: boolean): string[] {
  return (['new', 'changed', 'unchanged', 'removed', 'skipped'] as const).map((change) => {
    const members = changes.filter((one) => one.change === change);
    const isListed = members.length > 0 && (verbose || change !== 'unchanged');
    const which = isListed ? `  ${firstOf(members, LISTED, verbose, describe)}` : '';
    return `  ${change.padEnd(9)} ${members.length.toLocaleString('en').padStart(9)}${which}`;
  });
}

function describe({ position, id }: RowChange): string {
  if (position === null) return id ?? '';
  return id === null ? describePosition(position) : `${id} (${describePosition(position)})`;
}

import type { EventKind } from '../../models/schema/usage-event.js';

/** How a fetch of a beacon or target comes about. */
export type Manner =
  | 'plain'
  /** The same request id once more. */
  | 'again'
  | 'head'
  | 'prefetch'
  | 'crawler'
  /** Of an ad that is older than its window. */
  | 'expired'
  /** Of an ad that is days old, and still counts where it costs nothing: its impression is not known. */
  | 'late'
  /** Of an ad whose beacon was lost. */
  | 'unshown'
  /** The same ad under another request id, clicked by the same client at once. */
  | 'rapid'
  | 'wrong-creative'
  | 'invalid'
  | 'missing';

/** One fetch that an answered ad leads to. */
export interface Act {
  readonly kind: EventKind;
  readonly manner: Manner;
}

/** What a person's behaviour depends on. */
export interface Showing {
  /** The ad's calibrated probability to be relevant. */
  readonly score: number;
  /** Which ad of the session it is, from 1. */
  readonly position: number;
}

/**
 * What becomes of one answered ad, in order. All figures are made up: they only have to look like life, and to let
 * every outcome happen.
 */
export function actsOf({ score, position }: Showing, random: () => number): Act[] {
  const acts: Act[] = [];
  const does = (probability: number): boolean => random() < probability;
  const act = (kind: EventKind, manner: Manner = 'plain'): void => void acts.push({ kind, manner });

  if (does(0.01)) act('impression', 'head');
  if (does(0.008)) act('impression', 'prefetch');
  if (does(0.012)) act('impression', 'crawler');
  if (does(0.002)) act('impression', 'missing');
  if (does(0.002)) act('impression', 'invalid');
  if (does(0.002)) act('click', 'wrong-creative');
  const shown = does(0.93);
  // A page may lose the beacon, and its ad be seen and clicked all the same.
  const beacon = shown && !does(0.01);
  if (beacon) act('impression');
  if (beacon && does(0.02)) act('impression', 'again');
  if (does(0.004)) act('impression', 'expired');
  const seen = shown && does(viewed(position));
  if (seen) act('view');
  if (seen && does(0.01)) act('view', 'again');
  if (!seen || !does(clicked(score, position))) return acts;
  if (!beacon) act('click', 'unshown');
  if (!beacon) return acts;
  act('click');
  if (does(0.05)) act('click', 'again');
  if (does(0.06)) act('click', 'rapid');
  if (does(0.02)) act('click', 'head');
  if (does(0.06)) act('click', 'late');
  if (does(0.01)) act('click', 'expired');
  return acts;
}

/** Of those shown: three of four of the first ad, fewer further down a conversation. */
function viewed(position: number): number {
  return Math.max(0.4, 0.75 - 0.05 * (position - 1));
}

/** Of those seen: half a per cent of the least relevant, 4.5 of the most, less with each ad of the session. */
function clicked(score: number, position: number): number {
  return (0.005 + 0.04 * score ** 3) * 0.85 ** (position - 1);
}

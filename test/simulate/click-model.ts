import type { EventKind } from '../../models/schema/event-kinds.js';

/** How a beacon or target is fetched. */
export type Manner =
  | 'plain'
  /** A repeated request id. */
  | 'again'
  | 'head'
  | 'prefetch'
  | 'crawler'
  /** An ad that is older than its window. */
  | 'expired'
  /** An ad that is days old. Its impression is unknown, so the event counts only if it costs nothing. */
  | 'late'
  /** An ad whose beacon was lost. */
  | 'unshown'
  /** The same ad under another request id, clicked again by the same client at once. */
  | 'rapid'
  | 'wrong-creative'
  | 'invalid'
  | 'missing';

/** One fetch that a served ad leads to. */
export interface Act {
  readonly kind: EventKind;
  readonly manner: Manner;
}

/** The inputs of a person's behaviour. */
export interface Showing {
  /** The ad's calibrated probability of being relevant. */
  readonly score: number;
  /** Position of the ad in its session, from 1. */
  readonly position: number;
}

/**
 * Draws the acts that follow one served ad, in order. All probabilities are made up; they only have to be plausible and
 * to make every outcome occur.
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
  // A page may lose the beacon although its ad is seen and clicked.
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

/**
 * Returns the share of shown ads that are viewed: three of four for the first ad, fewer further down a conversation.
 */
function viewed(position: number): number {
  return Math.max(0.4, 0.75 - 0.05 * (position - 1));
}

/**
 * Returns the share of viewed ads that are clicked: 0.5 % for the least relevant, 4.5 % for the most, less with each ad
 * of the session.
 */
function clicked(score: number, position: number): number {
  return (0.005 + 0.04 * score ** 3) * 0.85 ** (position - 1);
}

import { MINUTE } from '../../../platform/time/durations.js';
import type { Grain } from './schema.js';

/** The names of a dimension set that a roll-up distinguishes; the others are null in it. */
export type Detail = 'full' | 'creative' | 'publisher' | 'total';

export const DETAILS = {
  full: ['publisher', 'advertiser', 'campaign', 'creative'],
  creative: ['advertiser', 'campaign', 'creative'],
  publisher: ['publisher'],
  total: [],
} as const satisfies Record<Detail, readonly string[]>;

/** A set of counters with one span and detail. */
export interface RollUp {
  readonly grain: Grain;
  readonly span: 'quarter' | 'day';
  readonly detail: Detail;
}

/** Returns the start of a day's counters: the date's midnight in UTC, in minutes since the epoch. */
export function dayStart(date: string): number {
  return Date.parse(date) / MINUTE;
}

/** All roll-ups, the cheapest to read first. All others are sums of the last one. */
export const ROLL_UPS: readonly RollUp[] = [
  { grain: 'day-total', span: 'day', detail: 'total' },
  { grain: 'day-publisher', span: 'day', detail: 'publisher' },
  { grain: 'day-creative', span: 'day', detail: 'creative' },
  { grain: 'day', span: 'day', detail: 'full' },
  { grain: 'quarter-total', span: 'quarter', detail: 'total' },
  { grain: 'quarter', span: 'quarter', detail: 'full' },
];

/** Increases whenever the content of roll-ups changes. A ledger with another version is rebuilt when it is opened. */
export const ROLL_UPS_VERSION = 2;

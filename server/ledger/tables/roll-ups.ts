import type { Grain } from './schema.js';

/** Which names of a dimension set a roll-up distinguishes; the others are null in it. */
export type Detail = 'full' | 'creative' | 'publisher' | 'total';

export const DETAILS = {
  full: ['publisher', 'advertiser', 'campaign', 'creative'],
  creative: ['advertiser', 'campaign', 'creative'],
  publisher: ['publisher'],
  total: [],
} as const satisfies Record<Detail, readonly string[]>;

/** Counters of one width and detail. */
export interface RollUp {
  readonly grain: Grain;
  readonly span: 'quarter' | 'day';
  readonly detail: Detail;
}

/** Where a day's counters start: a date's midnight in UTC, in minutes since the epoch. */
export function dayStart(date: string): number {
  return Date.parse(date) / 60_000;
}

/** All that is summed up as it is written, the cheapest to read first. The last one holds what all others are sums of. */
export const ROLL_UPS: readonly RollUp[] = [
  { grain: 'day-total', span: 'day', detail: 'total' },
  { grain: 'day-publisher', span: 'day', detail: 'publisher' },
  { grain: 'day-creative', span: 'day', detail: 'creative' },
  { grain: 'day', span: 'day', detail: 'full' },
  { grain: 'quarter-total', span: 'quarter', detail: 'total' },
  { grain: 'quarter', span: 'quarter', detail: 'full' },
];

/** Raised with every change of what roll-ups hold: a ledger of another number has them rebuilt when it is opened. */
export const ROLL_UPS_VERSION = 2;

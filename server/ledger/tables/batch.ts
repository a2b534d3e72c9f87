import { MINUTE } from '../../../platform/time/durations.js';
import { dimensionSetOf, type DimensionSet } from './dimension-sets.js';
import type { DecisionRecord, IgnoredEvent, UsageEvent } from './ledger.js';
import type { Counted } from './schema.js';

/** Something that happened `times` times within one minute (since the epoch) and is not stored as a row. */
export interface Count {
  readonly minute: number;
  readonly dimensionSet: DimensionSet;
  readonly counted: Counted;
  readonly reason: string;
  readonly times: number;
}

/** The events and counts that one transaction writes. */
export interface Batch {
  readonly events: readonly UsageEvent[];
  readonly counts: readonly Count[];
  /** The ledger clock's mark, epoch milliseconds: time has certainly passed that far. */
  readonly clock?: number;
}

/** Returns the moment an event is dated, epoch milliseconds: no earlier than its ad. */
export function momentOf({ at, claims }: UsageEvent): number {
  return Math.max(at, claims.issuedAt);
}

export function countOfIgnored({ kind, reason, claims, at }: IgnoredEvent): Count {
  return { minute: minuteOf(at), dimensionSet: dimensionSetOf(claims), counted: kind, reason, times: 1 };
}

/** Counts a decision with its reason, and a second time by its language. */
export function countsOfDecision({ publisher, test, result, language, at }: DecisionRecord): Count[] {
  const nothing = { advertiser: null, campaign: null, creative: null };
  const { advertiser, campaign, creative } = result.filled ? result : nothing;
  const dimensionSet = { publisher, advertiser, campaign, creative, test };
  const once = { minute: minuteOf(at), dimensionSet, times: 1 };
  const decision: Count = { ...once, counted: 'decision', reason: result.filled ? '' : result.reason };
  if (language === undefined) return [decision];
  return [decision, { ...once, counted: result.filled ? 'fill-in' : 'no-fill-in', reason: language }];
}

/**
 * Counts that wait to be written. Equal ones are added up. Once very many wait, those of the same quarter of an hour
 * (the resolution of reports) are added up too.
 */
export interface PendingCounts {
  add(count: Count): void;
  /** Removes and returns at most `max` counts. The caller adds them again if they cannot be written. */
  take(max: number): Count[];
  readonly size: number;
}

export function createPendingCounts(manyCells = MANY_CELLS): PendingCounts {
  let waiting = new Map<string, Count>();
  let mergeAbove = manyCells;
  const add = (count: Count): void => {
    const { minute, dimensionSet, counted, reason } = count;
    const cell = JSON.stringify([minute, counted, reason, dimensionSet]);
    const before = waiting.get(cell);
    waiting.set(cell, before === undefined ? count : { ...count, times: before.times + count.times });
  };
  const merge = (): void => {
    const cells = waiting.values();
    waiting = new Map();
    for (const count of cells) add({ ...count, minute: count.minute - (count.minute % QUARTER_MINUTES) });
    // Merging again what is merged already would only cost time.
    mergeAbove = Math.max(manyCells, 2 * waiting.size);
  };
  return {
    add(count) {
      add(count);
      if (waiting.size > mergeAbove) merge();
    },
    take(max) {
      const taken: Count[] = [];
      for (const [cell, count] of waiting) {
        if (taken.length === max) break;
        taken.push(count);
        waiting.delete(cell);
      }
      if (waiting.size === 0) mergeAbove = manyCells;
      return taken;
    },
    get size() {
      return waiting.size;
    },
  };
}

const QUARTER_MINUTES = 15;
/** About 40 MB: an hour's counts of a busy node whose ledger cannot be written. */
const MANY_CELLS = 50_000;

function minuteOf(at: number): number {
  return Math.floor(at / MINUTE);
}

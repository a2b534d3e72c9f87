import {
  IGNORED_REASONS,
  type IgnoredReason,
  NO_FILL_REASONS,
  type NoFillReason,
} from '../../models/schema/event-kinds.js';
import type { LanguageLabel } from '../domain/language-label.js';
import { VOIDED, type Counted } from '../ledger/tables/schema.js';

/** Fills and no-fills for conversations in one language. */
export interface LanguageSums {
  fills: number;
  noFills: number;
}

/** The sums of a report's row. */
export interface Sums {
  decisions: number;
  fills: number;
  readonly noFills: Record<NoFillReason, number>;
  /**
   * The same decisions by language of the conversation: only languages that occurred, and none from before these were
   * counted.
   */
  readonly languages: Record<LanguageLabel, LanguageSums>;
  impressions: number;
  views: number;
  clicks: number;
  readonly ignored: Record<IgnoredReason, number>;
  /** The amount billed, including voided events. */
  spendMicros: bigint;
  /** How many of the events above were voided later, and the amount credited for them. */
  voided: number;
  creditMicros: bigint;
}

/** A row's sums, and the rates that follow from them. */
export interface Measures extends Readonly<Sums> {
  /** Fills per decision; null without decisions. */
  readonly fillRate: number | null;
  /** Clicks per impression; null without impressions. */
  readonly ctr: number | null;
  /** Spend per thousand impressions, rounded to the micro; null without impressions. */
  readonly ecpmMicros: bigint | null;
}

/** One of the ledger's counters. */
export interface Counter {
  readonly counted: Counted;
  readonly reason: string;
  readonly times: number;
  readonly micros: bigint;
}

const zeros = <Reason extends string>(reasons: readonly Reason[]): Record<Reason, number> =>
  Object.fromEntries(reasons.map((reason) => [reason, 0])) as Record<Reason, number>;

const NO_FILLS = zeros(NO_FILL_REASONS);
const NONE_IGNORED = zeros(IGNORED_REASONS);

export function emptySums(): Sums {
  const counted = {
    decisions: 0,
    fills: 0,
    impressions: 0,
    views: 0,
    clicks: 0,
    spendMicros: 0n,
    voided: 0,
    creditMicros: 0n,
  };
  return { ...counted, noFills: { ...NO_FILLS }, languages: {}, ignored: { ...NONE_IGNORED } };
}

const EVENTS = { impression: 'impressions', view: 'views', click: 'clicks' } as const;

export function addCounter(sums: Sums, { counted, reason, times, micros }: Counter): void {
  if (counted === 'decision') {
    sums.decisions += times;
    if (reason === '') sums.fills += times;
    else addTo(sums.noFills, reason, times);
  } else if (counted === 'fill-in' || counted === 'no-fill-in') {
    const language = (sums.languages[reason] ??= { fills: 0, noFills: 0 });
    language[counted === 'fill-in' ? 'fills' : 'noFills'] += times;
  } else if (reason === VOIDED) {
    sums.voided += times;
    sums.creditMicros -= micros;
  } else if (reason === '' || reason === 'test') {
    // A test key's event is ignored for billing, but a report of test traffic counts it.
    sums[EVENTS[counted]] += times;
    sums.spendMicros += micros;
  } else {
    addTo(sums.ignored, reason, times);
  }
}

/** A node of a newer release may have counted a reason that this one does not know: it is listed under its own name. */
function addTo(times: Record<string, number>, reason: string, more: number): void {
  times[reason] = (times[reason] ?? 0) + more;
}

export function measuresOf(sums: Sums): Measures {
  const { decisions, fills, impressions, clicks, spendMicros } = sums;
  return {
    ...sums,
    fillRate: decisions === 0 ? null : fills / decisions,
    ctr: impressions === 0 ? null : clicks / impressions,
    ecpmMicros: impressions === 0 ? null : rounded(spendMicros * 1000n, BigInt(impressions)),
  };
}

/** Divides and rounds half up. */
function rounded(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}

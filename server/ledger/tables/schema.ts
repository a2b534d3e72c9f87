import type { Generated } from 'kysely';
import type { EventKind } from '../../../models/schema/usage-event.js';

/** What a counter counts: decisions, one kind of event, or once more the decisions with (`fill-in`) and without an ad by language. */
export type Counted = 'decision' | 'fill-in' | 'no-fill-in' | EventKind;

/**
 * What a counter sums up: how wide its span is and, where some names are dropped, those it keeps. A quarter of an hour is the
 * widest span that lies within one hour and one day of every time zone; a day is one of the installation's time zone.
 */
export type Grain = 'minute' | 'quarter' | 'day' | `${'quarter' | 'day'}-total` | 'day-publisher' | 'day-creative';

/** The counters' reason for events that were counted and found invalid afterwards; their micros are negative. */
export const VOIDED = 'voided';

/** The day of the `spend` table that holds all days. */
export const ALL_DAYS = -1;

/** The ledger's tables. Money is integer micros; "none" in a name is the empty string, so that names can be keys. */
export interface LedgerTables {
  /** One combination of publisher, advertiser, campaign and creative, test traffic apart; the other tables refer to it. */
  dimension_sets: {
    dimension_set: Generated<number>;
    publisher: string;
    advertiser: string;
    campaign: string;
    creative: string;
    test: number;
  };
  /** One row per request id and kind: the exactly-once rule is this primary key. */
  events: {
    /** The request id's digest, 16 bytes. */
    id: Buffer;
    kind: EventKind;
    /** Epoch milliseconds. */
    at: number;
    dimension_set: number;
    price_micros: number;
    /** Empty: counted. Otherwise why the event is stored with price 0 (`test`, `over-budget`). */
    reason: string;
    /** The month that bills it, 202611: the one it happened in, or the first after it that is not closed. */
    month: number;
  };
  /**
   * How often what happened. `minute` holds what has no row in `events` (decisions, ignored events); all others hold
   * everything, written in the same transaction as what they sum. The names that a grain drops are empty.
   */
  counters: {
    grain: Grain;
    /** Minutes since the epoch at which the span starts; for a day, at which its date starts in UTC. */
    start: number;
    dimension_set: number;
    counted: Counted;
    /** Empty: a fill or a counted event. Otherwise the no-fill or ignored reason, `VOIDED`, or the language's label. */
    reason: string;
    times: number;
    micros: number;
  };
  /** What is to be paid, by the month that bills it: the events that cost something, by what each of them costs. */
  billed: {
    month: number;
    /** The day it happened, as in a day's counter. */
    day: number;
    /** Without a publisher. */
    dimension_set: number;
    kind: EventKind;
    price_micros: number;
    times: number;
  };
  /**
   * What each account (an advertiser's campaign, or a creative that has none) has spent: by day, as in a day's counter, and in all, as
   * day `ALL_DAYS`. Without what was voided. Follows from the counters; kept so that a budget can be looked up while an event is written.
   */
  spend: { day: number; advertiser: string; campaign: string; creative: string; micros: number };
  /** Months of an advertiser that are frozen: no event is billed in them any more. */
  closed_months: { advertiser: string; month: number; closed_at: number };
  /** One for each closed month of an advertiser, numbered without gaps in the order of closing. */
  invoices: { number: number; advertiser: string; month: number };
  /** What was sent, byte for byte, with its SHA-256 in hex. */
  invoice_documents: { number: number; format: 'json' | 'csv' | 'html'; content: string; digest: string };
  /** Why events were voided, and which: the rule as JSON. */
  corrections: { correction: Generated<number>; made_at: number; reason: string; rule: string };
  /** Events found invalid after they were counted: they stay where they are, and are credited once, in `month`. */
  voided: {
    id: Buffer;
    kind: EventKind;
    at: number;
    dimension_set: number;
    price_micros: number;
    billed_month: number;
    /** The invoice that credits it: the month that billed it, or the first after it that is not closed. */
    month: number;
    correction: number;
  };
  /**
   * `currency` and `time_zone`, fixed once events exist; `roll_ups`, their version; `kept_from`, the oldest raw events;
   * `issued_from`, the oldest ads whose events count; `clock`, until when time has surely passed.
   */
  installation: { name: string; value: string };
}

import type { Generated } from '#kysely';
import type { EventKind } from '../../../models/schema/event-kinds.js';

/** Why an event is stored with price 0: it is a test key's, or its budget is spent. Empty: it counts. */
export type StoredReason = (typeof STORED_REASONS)[number];
export const STORED_REASONS = ['', 'test', 'over-budget'] as const;

/**
 * What a counter counts: decisions, or events of one kind. `fill-in` and `no-fill-in` count decisions again, by
 * language: those with and those without an ad.
 */
export type Counted = 'decision' | 'fill-in' | 'no-fill-in' | EventKind;

/**
 * A counter's span of time and, if it drops some names, the names that it keeps. A quarter of an hour is the widest
 * span that is within one hour and one day in every time zone. A day is one of the ledger's time zone.
 */
export type Grain = 'minute' | 'quarter' | 'day' | `${'quarter' | 'day'}-total` | 'day-publisher' | 'day-creative';

/** The counters' reason for events that were counted and found invalid later; their micros are negative. */
export const VOIDED = 'voided';

/** The day in the `spend` table that stands for the total of all days. */
export const ALL_DAYS = -1;

/** The ledger's tables. Money is integer micros. An empty name means "none", so that names can be part of keys. */
export interface LedgerTables {
  /** One row per combination of publisher, advertiser, campaign, creative and test; other tables refer to it. */
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
    reason: StoredReason;
    /** The month that bills the event, such as 202611: the one in which it happened, or the first open one after it. */
    month: number;
  };
  /**
   * How often something happened. `minute` holds what has no row in `events` (decisions, ignored events). All other
   * grains hold everything, and are written in the same transaction as what they sum. The names that a grain drops are
   * empty.
   */
  counters: {
    grain: Grain;
    /** Start of the span in minutes since the epoch; for a day, the start of its date in UTC. */
    start: number;
    dimension_set: number;
    counted: Counted;
    /** Empty: a fill or a counted event. Otherwise the no-fill or ignored reason, `VOIDED`, or the language label. */
    reason: string;
    times: number;
    micros: number;
  };
  /** The amounts to bill, by the month that bills them: events with a price, grouped by price. */
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
   * The spend of each account (an advertiser's campaign, or a creative without one), by day, as in a day's counter, and
   * in total as day `ALL_DAYS`, without voided events. It follows from the counters, and is stored so that a budget can
   * be looked up while an event is written.
   */
  spend: { day: number; advertiser: string; campaign: string; creative: string; micros: number };
  /** An advertiser's closed months: no further event is billed in them. */
  closed_months: { advertiser: string; month: number; closed_at: number };
  /** One row per closed month of an advertiser, numbered without gaps in the order of closing. */
  invoices: { number: number; advertiser: string; month: number };
  /** The invoice as sent, byte for byte, with its SHA-256 in hex. */
  invoice_documents: { number: number; format: 'json' | 'csv' | 'html'; content: string; digest: string };
  /** The reason why events were voided, and the rule that selected them, as JSON. */
  corrections: { correction: Generated<number>; made_at: number; reason: string; rule: string };
  /**
   * Events found invalid after they were counted. Their rows in `events` stay, and each is credited once, in `month`.
   */
  voided: {
    id: Buffer;
    kind: EventKind;
    at: number;
    dimension_set: number;
    price_micros: number;
    billed_month: number;
    /** The month whose invoice credits the event: the one that billed it, or the first open one after it. */
    month: number;
    correction: number;
  };
  /**
   * Values by name: `currency` and `time_zone`, fixed once events exist; `roll_ups`, their version; `kept_from`, the
   * moment from which raw events are kept; `issued_from`, the moment from which the events of ads served still count;
   * `clock`, the ledger clock's mark.
   */
  installation: { name: string; value: string };
}

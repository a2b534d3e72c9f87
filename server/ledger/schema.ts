import { sql, type Compilable, type Generated, type Kysely } from 'kysely';
import type { EventKind } from '../../models/schema/usage-event.js';

/** What a counter counts: decisions or one kind of event. */
export type Counted = 'decision' | EventKind;

/**
 * What a counter sums up: how wide its span is and, where some names are dropped, those it keeps. A quarter of an hour is the
 * widest span that lies within one hour and one day of every time zone; a day is one of the installation's time zone.
 */
export type Grain = 'minute' | 'quarter' | 'day' | `${'quarter' | 'day'}-total` | 'day-publisher' | 'day-creative';

/** The day of the `spend` table that holds all days. */
export const ALL_DAYS = -1;

/** The ledger's tables. Money is integer micros; "none" in a name is the empty string, so that names can be keys. */
export interface LedgerTables {
  /** One combination of who showed what for whom; the other tables name it by number. */
  placements: {
    placement: Generated<number>;
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
    placement: number;
    price_micros: number;
    /** Empty: counted. Otherwise why the event is stored with price 0 (`test`, later `over-budget`). */
    reason: string;
    /** The month that bills it, 202611: the one it happened in, or the first after it that is not closed. */
    month: number;
  };
  /**
   * How often what happened. `minute` holds what has no row in `events` (decisions, ignored events); all others hold
   * everything, written in the same transaction as what they sum. A placement's names that a grain drops are empty.
   */
  counters: {
    grain: Grain;
    /** Minutes since the epoch at which the span starts; for a day, at which its date starts in UTC. */
    start: number;
    placement: number;
    counted: Counted;
    /** Empty: a fill or a counted event. Otherwise the no-fill or ignored reason. */
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
    placement: number;
    kind: EventKind;
    price_micros: number;
    times: number;
  };
  /**
   * What each account (a campaign, or a creative that has none) has spent: by day, as in a day's counter, and in all, as
   * day `EVER`. Follows from the counters; kept so that a budget can be looked up while an event is written.
   */
  spend: { day: number; campaign: string; creative: string; micros: number };
  /** Months of an advertiser that are frozen: no event is billed in them any more. */
  closed_months: { advertiser: string; month: number; closed_at: number };
  /** `currency` and `time_zone`, fixed once events exist; `roll_ups`, their version; `kept_from`, the oldest raw events. */
  installation: { name: string; value: string };
}

/** Each step takes the schema one version further (`PRAGMA user_version`). Steps that were released never change. */
export const MIGRATIONS: readonly ((db: Kysely<LedgerTables>) => readonly Compilable[])[] = [
  ({ schema }) => [
    schema
      .createTable('placements')
      .addColumn('placement', 'integer', (column) => column.primaryKey())
      .addColumn('publisher', 'text', (column) => column.notNull())
      .addColumn('advertiser', 'text', (column) => column.notNull())
      .addColumn('campaign', 'text', (column) => column.notNull())
      .addColumn('creative', 'text', (column) => column.notNull())
      .addColumn('test', 'integer', (column) => column.notNull())
      .addUniqueConstraint('placements_names', ['publisher', 'advertiser', 'campaign', 'creative', 'test'])
      .modifyEnd(sql`strict`),
    schema
      .createTable('events')
      .addColumn('id', 'blob', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('at', 'integer', (column) => column.notNull())
      .addColumn('placement', 'integer', (column) => column.notNull().references('placements.placement'))
      .addColumn('price_micros', 'integer', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('events_once', ['id', 'kind'])
      .modifyEnd(sql`strict, without rowid`),
    schema
      .createTable('counters')
      .addColumn('grain', 'text', (column) => column.notNull())
      .addColumn('start', 'integer', (column) => column.notNull())
      .addColumn('placement', 'integer', (column) => column.notNull().references('placements.placement'))
      .addColumn('counted', 'text', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('times', 'integer', (column) => column.notNull())
      .addColumn('micros', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('counters_cell', ['grain', 'start', 'placement', 'counted', 'reason'])
      .modifyEnd(sql`strict, without rowid`),
    schema
      .createTable('installation')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .modifyEnd(sql`strict, without rowid`),
  ],
  ({ schema }) => [
    schema.alterTable('events').addColumn('month', 'integer', (column) => column.notNull().defaultTo(0)),
    schema
      .createTable('billed')
      .addColumn('month', 'integer', (column) => column.notNull())
      .addColumn('day', 'integer', (column) => column.notNull())
      .addColumn('placement', 'integer', (column) => column.notNull().references('placements.placement'))
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('price_micros', 'integer', (column) => column.notNull())
      .addColumn('times', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('billed_once', ['month', 'day', 'placement', 'kind', 'price_micros'])
      .modifyEnd(sql`strict, without rowid`),
    schema
      .createTable('closed_months')
      .addColumn('advertiser', 'text', (column) => column.notNull())
      .addColumn('month', 'integer', (column) => column.notNull())
      .addColumn('closed_at', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('closed_once', ['advertiser', 'month'])
      .modifyEnd(sql`strict, without rowid`),
  ],
  (db) => [
    db.schema
      .createTable('spend')
      .addColumn('day', 'integer', (column) => column.notNull())
      .addColumn('campaign', 'text', (column) => column.notNull())
      .addColumn('creative', 'text', (column) => column.notNull())
      .addColumn('micros', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('spend_account', ['day', 'campaign', 'creative'])
      .modifyEnd(sql`strict, without rowid`),
    ...[sql<number>`start`, sql<number>`-1`].map((day) =>
      db
        .insertInto('spend')
        .columns(['day', 'campaign', 'creative', 'micros'])
        .expression(
          db
            .selectFrom('counters')
            .innerJoin('placements', 'placements.placement', 'counters.placement')
            .where('grain', '=', 'day')
            .where('micros', '>', 0)
            .select([day.as('day'), 'campaign', sql<string>`iif(campaign = '', creative, '')`.as('creative')])
            .select(({ fn }) => fn.sum<number>('micros').as('micros'))
            .groupBy([sql`1`, sql`2`, sql`3`]),
        ),
    ),
  ],
];

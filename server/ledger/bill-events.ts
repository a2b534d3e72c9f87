import { momentOf, type Batch } from './tables/batch.js';
import type { IgnoredReason } from '../../models/schema/event-kinds.js';
import { createCalendar, type Calendar } from '../../platform/time/calendar.js';
import { MINUTE } from '../../platform/time/durations.js';
import { createBatchTotals, type BatchTotals } from './tables/batch-totals.js';
import type { Outcome, Spend, UsageEvent } from './tables/ledger.js';
import { dimensionSetOf } from './tables/dimension-sets.js';
import { priceMicros } from '../domain/billing.js';
import { firstOpenMonth, monthOf } from '../domain/billing-month.js';
import type { EventRow, EventTables } from './tables/event-tables.js';
import type { LedgerDatabase } from './tables/ledger-database.js';
import { createSpendTable, readSpending } from './spend.js';

/** Writes batches to the ledger, on the thread that owns the file or connection. */
export interface LedgerStore {
  /**
   * Writes events and counts in one transaction, durable on return. An event is dated no earlier than its ad, and is
   * `expired` if events of that ad may have been deleted: so no clock can make an event count twice. The clock's mark
   * is written once a second, and with every empty batch, which thereby shows whether the ledger can be written.
   *
   * @returns each event's outcome, in their order
   * @throws Error of the store when nothing was written, or when it is unknown whether the batch was written
   */
  write(batch: Batch): Outcome[];
  /** Returns what every account has spent in total and on the day of `at`, epoch milliseconds. */
  spending(at: number): Spend[];
}

export function createLedgerStore(database: LedgerDatabase, timeZone: string): LedgerStore {
  const calendar = createCalendar(timeZone);
  const tables = database.eventTables(calendar);
  const { dimensionSets } = tables;
  const spend = createSpendTable((account, day) => tables.spent(account, day), calendar);
  let clockWritten = -Infinity;

  const writeEvent = (event: UsageEvent, totals: BatchTotals, billingMonth: BillingMonth, from: number): Outcome => {
    const { kind, claims } = event;
    const at = momentOf(event);
    const ids = dimensionSets.of(dimensionSetOf(claims));
    const ignore = (reason: IgnoredReason): Outcome => {
      if (event.replayed !== true) totals.addUnstored(Math.floor(at / MINUTE), ids, kind, reason, 1);
      return { counted: false, reason };
    };
    if (claims.issuedAt < from) return ignore('expired');
    if (event.needsShown === true) {
      const shownAt = tables.shownAt(event.id);
      if (shownAt === undefined) return ignore('no-impression');
      // An impression dated after the click proves nothing: a clock was set back.
      if (shownAt > (event.shownBy ?? Infinity) && shownAt <= at && isJustShown(event)) return ignore('too-soon');
    }
    const month = billingMonth(claims.advertiser, at);
    const fullPrice = priceMicros(claims, kind);
    const overBudget = fullPrice > 0 && !spend.fits(claims, at, fullPrice);
    const price = overBudget ? 0 : fullPrice;
    const reason = claims.test ? 'test' : overBudget ? 'over-budget' : '';
    const { id, seenAt } = event;
    const row: EventRow = { id, kind, at, dimensionSet: ids.full, priceMicros: price, reason, month, seenAt };
    if (!tables.addEvent(row)) return ignore('repeated');
    totals.addStored(row, ids);
    if (reason !== '') return { counted: false, reason };
    if (price > 0) spend.charge(claims, at, price);
    return { counted: true, priceMicros: price };
  };

  const isJustShown = ({ id, at, shownBy = at, shownElsewhere, seenAt }: UsageEvent): boolean =>
    shownElsewhere !== true || tables.shownForMs(id, seenAt) < at - shownBy;

  const writeAll = ({ events, counts, clock }: Batch, moveClock: boolean): Outcome[] => {
    const totals = createBatchTotals(calendar);
    spend.open();
    const billingMonth = createBillingMonth(tables.isClosed, calendar);
    const issuedFrom = tables.issuedFrom();
    const outcomes = events.map((event) => writeEvent(event, totals, billingMonth, issuedFrom));
    for (const { minute, dimensionSet, counted, reason, times } of counts) {
      totals.addUnstored(minute, dimensionSets.of(dimensionSet), counted, reason, times);
    }
    tables.addSums({ counters: totals.counters(), billed: totals.billed(), spend: spend.charges() });
    if (moveClock && clock !== undefined) tables.moveClock(clock);
    return outcomes;
  };

  return {
    spending: (at) => readSpending(database, calendar, at),
    write(batch) {
      const { events, counts, clock } = batch;
      const moveClock = clock !== undefined && (events.length + counts.length === 0 || clock >= clockWritten + 1000);
      try {
        const outcomes = tables.write(batch, () => writeAll(batch, moveClock));
        if (moveClock) clockWritten = clock;
        return outcomes;
      } catch (error) {
        // The rollback also undid the ids that the transaction gave.
        dimensionSets.forget();
        throw error;
      }
    },
  };
}

/**
 * Returns the month that bills an advertiser's event of a moment: the month of that moment, or the first open one after
 * it.
 */
type BillingMonth = (advertiser: string | null, moment: number) => number;

/** Caches which months are closed. Valid within one transaction, during which no other process can close a month. */
function createBillingMonth(isClosed: EventTables['isClosed'], calendar: Calendar): BillingMonth {
  const known = new Map<string, number>();
  return (advertiser, moment) => {
    const happened = monthOf(calendar.dateOf(moment));
    const key = `${happened}${advertiser ?? ''}`;
    const month = known.get(key) ?? firstOpenMonth(happened, (each) => isClosed(advertiser ?? '', each));
    known.set(key, month);
    return month;
  };
}

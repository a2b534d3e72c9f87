import type { Database } from 'better-sqlite3';
import { minuteOf, dimensionSetOf, type Batch } from './batch.js';
import { createBillingMonth, type BillingMonth } from './billing-month.js';
import { createCalendar } from '../../models/time/calendar.js';
import { createBatchTotals, type BatchTotals } from './batch-totals.js';
import type { Outcome, UsageEvent } from './ledger.js';
import { createDimensionSetIds } from './dimension-sets.js';
import { priceMicros } from '../domain/price.js';
import { createSpendTable, type Spend } from './spend.js';
import { prepareStatements } from './statements.js';

/** Writes batches to the ledger's file, on the thread that owns it. */
export interface LedgerStore {
  /**
   * Writes events and counts in one transaction, durable on return.
   *
   * @returns what became of each event, in their order
   * @throws SqliteError when nothing of it was written
   */
  write(batch: Batch): Outcome[];
  /** What every account has spent in all and on the day of `at`, epoch milliseconds. */
  spending(at: number): Spend[];
}

export function createLedgerStore(database: Database, timeZone: string): LedgerStore {
  const statements = prepareStatements(database);
  const calendar = createCalendar(timeZone);
  const dimensionSets = createDimensionSetIds(statements);
  const spend = createSpendTable(database, calendar);

  const writeEvent = (event: UsageEvent, cells: BatchTotals, billingMonth: BillingMonth): Outcome => {
    const { kind, claims, at } = event;
    const ids = dimensionSets.of(dimensionSetOf(claims));
    const month = billingMonth(claims.advertiser, at);
    const wanted = priceMicros(claims, kind);
    const overBudget = wanted > 0 && !spend.fits(claims, at, wanted);
    const price = overBudget ? 0 : wanted;
    const reason = claims.test ? 'test' : overBudget ? 'over-budget' : '';
    const row = [Buffer.from(event.id, 'hex'), kind, at, ids.full, price, reason, month];
    if (statements.addEvent.run(...row).changes === 0) {
      cells.addUnstored(minuteOf(at), ids, kind, 'repeated', 1);
      return { counted: false, reason: 'repeated' };
    }
    cells.addStored(minuteOf(at), ids, kind, reason, price, month);
    if (reason !== '') return { counted: false, reason };
    if (price > 0) spend.charge(claims, at, price);
    return { counted: true, priceMicros: price };
  };

  const writeAll = database.transaction(({ events, counts }: Batch): Outcome[] => {
    const cells = createBatchTotals(calendar);
    spend.open();
    const billingMonth = createBillingMonth(statements.findClosed, calendar);
    const outcomes = events.map((event) => writeEvent(event, cells, billingMonth));
    for (const { minute, dimensionSet, counted, reason, times } of counts) {
      cells.addUnstored(minute, dimensionSets.of(dimensionSet), counted, reason, times);
    }
    for (const cell of cells.counters()) statements.addToCounter.run(...cell);
    for (const cell of cells.billed()) statements.addToBilled.run(...cell);
    spend.write();
    return outcomes;
  });

  return {
    spending: (at) => spend.read(at),
    write(batch) {
      try {
        return writeAll.immediate(batch);
      } catch (error) {
        // Ids given within the transaction were rolled back with it.
        dimensionSets.forget();
        throw error;
      }
    },
  };
}

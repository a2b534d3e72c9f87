import type { Database } from 'better-sqlite3';
import { minuteOf, placementOf, type Batch, type Placement } from './batch.js';
import { createCalendar } from './calendar.js';
import { createCells, type Cells } from './cells.js';
import type { Outcome, UsageEvent } from './ledger.js';
import { priceMicros } from './price.js';
import { createSpendBook, type Spend } from './spend.js';
import { prepareStatements } from './statements.js';

/** Writes batches to the ledger's file, on the thread that owns it. */
export interface Store {
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

export function createStore(database: Database, timeZone: string): Store {
  const { addPlacement, findPlacement, addEvent, addToCounter } = prepareStatements(database);
  const calendar = createCalendar(timeZone);
  const spend = createSpendBook(database, calendar);
  let placements = new Map<string, number>();

  const placementNumber = ({ publisher, advertiser, campaign, creative, test }: Placement): number => {
    const names = [publisher ?? '', advertiser ?? '', campaign ?? '', creative ?? '', test ? 1 : 0];
    const key = JSON.stringify(names);
    const known = placements.get(key);
    if (known !== undefined) return known;
    addPlacement.run(...names);
    const { placement } = findPlacement.get(...names) as { placement: number };
    placements.set(key, placement);
    return placement;
  };

  const writeEvent = (event: UsageEvent, cells: Cells): Outcome => {
    const { kind, claims, at } = event;
    const placement = placementNumber(placementOf(claims));
    const wanted = priceMicros(claims, kind);
    const overBudget = wanted > 0 && !spend.fits(claims, at, wanted);
    const price = overBudget ? 0 : wanted;
    const reason = claims.test ? 'test' : overBudget ? 'over-budget' : '';
    const added = addEvent.run(Buffer.from(event.id, 'hex'), kind, at, placement, price, reason).changes === 1;
    if (!added) {
      cells.addUnstored(minuteOf(at), placement, kind, 'repeated', 1);
      return { counted: false, reason: 'repeated' };
    }
    cells.addStored(minuteOf(at), placement, kind, reason, price);
    if (reason !== '') return { counted: false, reason };
    if (price > 0) spend.charge(claims, at, price);
    return { counted: true, priceMicros: price };
  };

  const writeAll = database.transaction(({ events, counts }: Batch): Outcome[] => {
    const cells = createCells(calendar);
    spend.open();
    const outcomes = events.map((event) => writeEvent(event, cells));
    for (const { minute, placement, counted, reason, times } of counts) {
      cells.addUnstored(minute, placementNumber(placement), counted, reason, times);
    }
    for (const cell of cells.values()) addToCounter.run(...cell);
    spend.write();
    return outcomes;
  });

  return {
    spending: (at) => spend.read(at),
    write(batch) {
      try {
        return writeAll.immediate(batch);
      } catch (error) {
        // Numbers given within the transaction were rolled back with it.
        placements = new Map();
        throw error;
      }
    },
  };
}

import type { Database, Statement } from 'better-sqlite3';
import { keyOf, priceOf, type BookedEvent, type Row } from './books.js';
import type { Limits } from './limits.js';
import { dateOf, type Seen } from './seen.js';

export interface LookedAt {
  readonly events: readonly BookedEvent[];
  readonly seen: Seen;
  readonly limits: Limits;
  readonly keptFrom: number;
  /** Keys of the events that the disk keeps for the ledger. */
  readonly waiting: ReadonlySet<string>;
}

/**
 * Looks events up in the ledger: what was acknowledged is there (a click may wait beside it), at its price and within its budget, and what was there before has
 * not changed. What is there for the first time is added to `seen`.
 */
export function eventDifferences(database: Database, { events, seen, limits, keptFrom, waiting }: LookedAt): string[] {
  const find = database.prepare(
    'select at, price_micros as price, reason, month from events where id = ? and kind = ?',
  ) as Statement<[Buffer, string], Record<keyof Row, unknown>>;
  const faults: string[] = [];
  const stored: BookedEvent[] = [];
  for (const event of new Set(events)) {
    const found = find.get(Buffer.from(event.digest, 'hex'), event.kind);
    if (found === undefined) {
      const waits = event.kind === 'click' && waiting.has(keyOf(event.digest, event.kind));
      if (event.row === null && event.promised && !waits)
        faults.push(`${nameOf(event)} was acknowledged and is not stored`);
      if (event.row !== null && event.row.at >= keptFrom) faults.push(`${nameOf(event)} was stored and is gone`);
      continue;
    }
    const [at, price, month] = [found.at, found.price, found.month].map(Number) as [number, number, number];
    const row: Row = { at, price, reason: String(found.reason), month };
    if (event.row === null) {
      event.row = row;
      seen.add(event, row);
      stored.push(event);
    } else if (JSON.stringify(event.row) !== JSON.stringify(row)) {
      faults.push(`${nameOf(event)} was stored as ${JSON.stringify(event.row)} and is ${JSON.stringify(row)}`);
    }
  }
  for (const event of stored) {
    const fault = priceFault(event, event.row!, seen, limits);
    if (fault !== null) faults.push(`${nameOf(event)} ${fault}`);
    const needsShown = event.kind === 'click' && priceOf(event) > 0;
    if (needsShown && find.get(Buffer.from(event.digest, 'hex'), 'impression') === undefined) {
      faults.push(`${nameOf(event)} is stored, and its ad was never shown`);
    }
  }
  return faults;
}

function nameOf({ kind, ad, digest }: BookedEvent): string {
  return `${kind} of ${ad.known.creative} (${digest})`;
}

function priceFault(event: BookedEvent, { at, price, reason, month }: Row, seen: Seen, limits: Limits): string | null {
  const expected = priceOf(event);
  if (at < event.ad.issuedAt - 1000) return `is dated ${at}, before its ad (${event.ad.issuedAt})`;
  if (String(month) !== dateOf(at).slice(0, 7).replace('-', '')) return `of ${dateOf(at)} is billed in ${month}`;
  if (event.ad.test) return reason === 'test' && price === 0 ? null : `of a test key costs ${price} (${reason})`;
  if (reason === 'over-budget') {
    const { known } = event.ad;
    const justified = expected > 0 && limits.mayRefuse(known, expected, seen.byAccount, seen.byAccountAndDay);
    return justified && price === 0 ? null : `is over budget, which has room for ${expected}`;
  }
  return reason === '' && price === expected ? null : `costs ${price} (${reason}) in place of ${expected}`;
}

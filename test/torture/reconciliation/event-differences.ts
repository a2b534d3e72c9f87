import { sql } from '#kysely';
import { queries, type LedgerDatabase } from '../../../server/ledger/tables/ledger-database.js';
import { keyOf, priceOf, type BookedEvent, type Row } from '../calls/books.js';
import type { Limits } from './limits.js';
import { dateOf, type Seen } from './seen.js';

export interface EventAudit {
  readonly events: readonly BookedEvent[];
  readonly seen: Seen;
  readonly limits: Limits;
  readonly keptFrom: number;
  /** Keys of the events that are spooled on disk for the ledger. */
  readonly waiting: ReadonlySet<string>;
}

/**
 * Checks events against the ledger: an acknowledged event is stored (a click may still be spooled), at its price and
 * within its budget, and an event stored earlier has not changed. Adds events that are stored for the first time to
 * `seen`.
 */
export function eventDifferences(
  database: LedgerDatabase,
  { events, seen, limits, keptFrom, waiting }: EventAudit,
): string[] {
  const wanted = [...new Set(events)];
  const rows = readRows(
    database,
    wanted.map(({ digest }) => digest),
  );
  const faults: string[] = [];
  const stored: BookedEvent[] = [];
  for (const event of wanted) {
    const row = rows.get(keyOf(event.digest, event.kind));
    if (row === undefined) {
      const waits = event.kind === 'click' && waiting.has(keyOf(event.digest, event.kind));
      if (event.row === null && event.promised && !waits)
        faults.push(`${nameOf(event)} was acknowledged and is not stored`);
      if (event.row !== null && event.row.at >= keptFrom) faults.push(`${nameOf(event)} was stored and is gone`);
      continue;
    }
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
    if (needsShown && !rows.has(keyOf(event.digest, 'impression'))) {
      faults.push(`${nameOf(event)} is stored, and its ad was never shown`);
    }
  }
  return faults;
}

const AT_ONCE = 1000;

/** Returns the ledger's rows for these request id digests, all event kinds, by key. */
export function readRows(database: LedgerDatabase, wanted: readonly string[]): ReadonlyMap<string, Row> {
  const digests = [...new Set(wanted)];
  const rows = new Map<string, Row>();
  for (let from = 0; from < digests.length; from += AT_ONCE) {
    const query = queries
      .selectFrom('events')
      .select([database.sql.hex(sql`id`).as('digest'), 'kind', 'at', 'price_micros as price', 'reason', 'month'])
      .where(database.sql.isOneOf(digests.slice(from, from + AT_ONCE)));
    for (const { digest, kind, ...row } of database.readAsNumbers(query)) rows.set(keyOf(digest, kind), row);
  }
  return rows;
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

import type { EventKind } from '../../../models/schema/usage-event.js';
import { queries, type LedgerDatabase } from '../tables/ledger-database.js';

/** Which counted events are void: those that everything given applies to. An empty name is "none". */
export interface VoidRule {
  readonly publisher?: string;
  readonly advertiser?: string;
  readonly campaign?: string;
  readonly creative?: string;
  readonly kind?: EventKind;
  /** From a moment, and before another, epoch milliseconds. */
  readonly from?: number;
  readonly to?: number;
  /** Digests of request ids, 16 bytes in hex. */
  readonly ids?: readonly string[];
}

/** Selects the events that a rule is about, with their names: those that count and were not voided before. */
export function eventsOf(database: LedgerDatabase, { kind, from, to, ids, ...names }: VoidRule) {
  let query = queries
    .selectFrom('events')
    .innerJoin('dimension_sets', 'dimension_sets.dimension_set', 'events.dimension_set')
    .where('reason', '=', '')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('voided')
            .whereRef('voided.id', '=', 'events.id')
            .whereRef('voided.kind', '=', 'events.kind')
            .select('voided.id'),
        ),
      ),
    );
  for (const name of ['publisher', 'advertiser', 'campaign', 'creative'] as const) {
    if (names[name] !== undefined) query = query.where(name, '=', names[name]);
  }
  if (kind !== undefined) query = query.where('kind', '=', kind);
  if (from !== undefined) query = query.where('at', '>=', from);
  if (to !== undefined) query = query.where('at', '<', to);
  if (ids === undefined) return query;
  return query.where(database.sql.isOneOf(ids));
}

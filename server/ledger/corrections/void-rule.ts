import type { EventKind } from '../../../models/schema/event-kinds.js';
import { queries, type LedgerDatabase } from '../tables/ledger-database.js';

/** Selects counted events to void: those that match every given field. An empty name means "none". */
export interface VoidRule {
  readonly publisher?: string;
  readonly advertiser?: string;
  readonly campaign?: string;
  readonly creative?: string;
  readonly kind?: EventKind;
  /** Epoch milliseconds; `from` is inclusive, `to` exclusive. */
  readonly from?: number;
  readonly to?: number;
  /** Digests of request ids, 16 bytes in hex. */
  readonly ids?: readonly string[];
}

/** Selects the events that match a rule, with their names: only events that count and are not voided yet. */
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

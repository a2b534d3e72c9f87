import { elapsedMs } from '../../../platform/time/elapsed.js';
import type { EventRow, SumRows } from '../tables/event-tables.js';
import { columnsOf } from './postgres-connection.js';
import type { PostgresQuery } from './postgres-worker.js';

/** Inserts events in the order of their ids, so that two batches with the same events do not deadlock. */
export function insertEvents(events: readonly EventRow[]): PostgresQuery {
  const rows = events.toSorted((one, other) => compare(one.id, other.id) || compare(one.kind, other.kind));
  const now = elapsedMs();
  const values = [
    rows.map(({ id }) => id),
    rows.map(({ kind }) => kind),
    rows.map(({ at }) => at),
    rows.map(({ dimensionSet }) => dimensionSet),
    rows.map((row) => row.priceMicros),
    rows.map(({ reason }) => reason),
    rows.map(({ month }) => month),
    rows.map(({ seenAt = now }) => now - seenAt),
  ];
  return { text: INSERT_EVENTS, values, name: 'insert_events' };
}

/**
 * Without "on conflict": an event that was stored in the meantime fails the transaction, and so the commit sent with
 * it.
 */
const INSERT_EVENTS = `
  insert into events (id, kind, at, dimension_set, price_micros, reason, month, stored_at)
  select decode(id, 'hex'), kind, at, dimension_set, price_micros, reason, month,
    clock_timestamp() - waited_ms * interval '1 millisecond'
  from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::int[], $8::float8[])
    as added (id, kind, at, dimension_set, price_micros, reason, month, waited_ms)`;

export function sumQueries({ counters, billed, spend }: SumRows, slot: number): PostgresQuery[] {
  const charges = [...spend].map(({ day, advertiser, campaign, creative, charged }) => {
    return [day, advertiser, campaign, creative, charged];
  });
  return [
    { text: ADD_COUNTERS, values: [...columnsOf([...counters], 7), slot], name: 'add_counters' },
    { text: ADD_BILLED, values: [...columnsOf([...billed], 6), slot], name: 'add_billed' },
    { text: ADD_SPEND, values: [...columnsOf(charges, 5), slot], name: 'add_spend' },
  ].filter(({ values }) => (values[0] as unknown[]).length > 0);
}

const ADD_COUNTERS = `
  insert into counters (grain, start, dimension_set, counted, reason, times, micros, slot)
  select *, $8::smallint
  from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::bigint[])
  on conflict on constraint counters_cell
  do update set times = counters.times + excluded.times, micros = counters.micros + excluded.micros`;
const ADD_BILLED = `
  insert into billed (month, day, dimension_set, kind, price_micros, times, slot)
  select *, $7::smallint from unnest($1::int[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[])
  on conflict on constraint billed_once do update set times = billed.times + excluded.times`;
const ADD_SPEND = `
  insert into spend (day, advertiser, campaign, creative, micros, slot)
  select *, $6::smallint from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[])
  on conflict on constraint spend_account do update set micros = spend.micros + excluded.micros`;
export const MOVE_CLOCK = `
  insert into installation (name, value) values ('clock', $1)
  on conflict (name) do update set value = excluded.value
  where cast(excluded.value as bigint) > cast(installation.value as bigint)`;

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

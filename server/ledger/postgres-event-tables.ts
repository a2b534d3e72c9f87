import type { Calendar } from '../../models/time/calendar.js';
import { ADJACENT_LOCKS, LOCKS, SERVER_LOCKS } from '../../models/postgres/locks.js';
import { type Account, accountKey } from '../domain/billing.js';
import type { Batch } from './batch.js';
import { createDimensionSetIds, dimensionSetOf, type NameRow } from './dimension-sets.js';
import type { EventRow, EventTables, SumRows } from './event-tables.js';
import { accountLocks, isTight, limitedAccounts, type LimitedAccount } from './postgres-budget-locks.js';
import { PostgresError, type PostgresConnection } from './postgres-connection.js';
import type { PostgresQuery } from './postgres-worker.js';

/** After so many failures because of others, a batch is counted while nobody else writes. */
const TRIES_BESIDE_OTHERS = 4;
/** Another writer was faster with an event; or two waited for each other. */
const IN_THE_WAY = /^(23505|40001|40P01)$/;

/**
 * The hot path in PostgreSQL, for servers that count at the same time: two round trips a batch. The first reads all that
 * the batch is judged by, the second writes all that it adds, and commits. Who counts events shares a lock that closing a
 * month, summing up anew and the like hold alone. An event that another server stored meanwhile fails the whole batch,
 * which is then judged anew. What servers add to sums goes to a slot of each server's own, so that they need not wait for
 * each other. Only batches with events of one account do, from the reading of what it has spent, while one of its limits
 * is near (`postgres-budget-locks.ts`).
 */
export function createPostgresEventTables(connection: PostgresConnection, calendar: Calendar): EventTables {
  const slot = takeSlot(connection);
  const dimensionSets = createDimensionSetIds((rows) => idsOf(connection, rows));
  /** Accounts that were tight when they were last looked at. */
  const tight = new Set<string>();
  let known = NOTHING_KNOWN;
  let added: EventRow[] = [];
  let writes: PostgresQuery[] | undefined;

  const add = (queries: readonly PostgresQuery[]): void => {
    if (writes === undefined) connection.send(queries, false);
    else writes.push(...queries);
  };
  const read = (batch: Batch, alone: boolean): void => {
    const limited = limitedAccounts(batch.events, calendar);
    for (;;) {
      known = readKnown(connection, batch, limited, tight, alone);
      const unsafe = limited.filter((account) => {
        const isTooTight = isTight(account, (day) => known.spent.get(`${day} ${account.key}`) ?? 0, slot);
        if (!isTooTight) tight.delete(account.key);
        return isTooTight && !tight.has(account.key);
      });
      if (unsafe.length === 0) return;
      // Two that share a lock cannot both wait to have it alone: begun afresh.
      connection.rollBack();
      for (const { key } of unsafe) tight.add(key);
    }
  };
  const attempt = <T>(batch: Batch, count: () => T, alone: boolean): T => {
    read(batch, alone);
    added = [];
    writes = [];
    const result = count();
    connection.send([...(added.length > 0 ? [insertEvents(added)] : []), ...writes, { text: 'commit' }], false, true);
    return result;
  };
  return {
    dimensionSets,
    write(batch, count) {
      dimensionSets.learn([
        ...batch.events.map(({ claims }) => dimensionSetOf(claims)),
        ...batch.counts.map(({ dimensionSet }) => dimensionSet),
      ]);
      for (let tries = 0; ; tries++) {
        try {
          return attempt(batch, count, tries >= TRIES_BESIDE_OTHERS);
        } catch (error) {
          connection.rollBack();
          const isInTheWay = error instanceof PostgresError && !error.lost && IN_THE_WAY.test(error.code);
          if (!isInTheWay || tries > TRIES_BESIDE_OTHERS) throw error;
        } finally {
          writes = undefined;
        }
      }
    },
    issuedFrom: () => known.issuedFrom,
    isClosed: (advertiser, month) => known.closed.has(`${month}${advertiser}`),
    shownAt: (id) => known.events.get(`impression${id}`),
    spent: (account, day) => known.spent.get(`${day} ${accountKey(account)}`) ?? 0,
    addEvent(event) {
      const key = event.kind + event.id;
      if (known.events.has(key)) return false;
      known.events.set(key, event.at);
      added.push(event);
      return true;
    },
    addSums: (sums) => add(sumQueries(sums, slot)),
    moveClock: (mark) => add([{ text: MOVE_CLOCK, values: [String(mark)], name: 'move_clock' }]),
  };
}

/** How many servers have the ledger open. */
export function servedBy(connection: PostgresConnection): number {
  const [found] = connection.send([{ text: SERVERS }], false);
  return Number(found!.rows[0]![0]);
}

const SERVERS = `
  select count(*) from pg_locks where locktype = 'advisory' and classid = ${SERVER_LOCKS} and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())`;

/** The first that no other server has, for as long as the connection lasts. */
function takeSlot(connection: PostgresConnection): number {
  for (let slot = 1; ; slot++) {
    const text = `select case when pg_try_advisory_lock(${SERVER_LOCKS}, ${slot}) then 1 else 0 end`;
    if (connection.send([{ text }], false)[0]!.rows[0]![0] === 1) return slot;
  }
}

/** What a batch is judged by. */
interface Known {
  readonly issuedFrom: number;
  /** Month and advertiser. */
  readonly closed: ReadonlySet<string>;
  /** When each event happened, by kind and id; of all kinds of the batch's ids. */
  readonly events: Map<string, number>;
  /** By day and account. */
  readonly spent: ReadonlyMap<string, number>;
}

const NOTHING_KNOWN: Known = { issuedFrom: 0, closed: new Set(), events: new Map(), spent: new Map() };

function readKnown(
  connection: PostgresConnection,
  { events }: Batch,
  limited: readonly LimitedAccount[],
  tight: ReadonlySet<string>,
  alone: boolean,
): Known {
  const { locks, alone: lockedAlone } = accountLocks(limited, tight);
  const accounts = limited.map(({ advertiser, campaign, creative }) => [advertiser, campaign, creative]);
  const days = distinct(limited.flatMap(({ spans }) => [...spans.keys()]));
  const [, , , issued, closed, stored, , spent] = connection.send(
    [
      { text: 'begin isolation level read committed' },
      { text: `set local statement_timeout = ${STATEMENT_MS}` },
      { text: alone ? LOCK_ALONE : LOCK_SHARED, name: alone ? 'lock_alone' : 'lock_shared' },
      { text: ISSUED_FROM, name: 'issued_from' },
      { text: CLOSED, values: [distinct(events.map(({ claims }) => claims.advertiser ?? ''))], name: 'closed' },
      { text: STORED, values: [distinct(events.map(({ id }) => id))], name: 'stored' },
      { text: LOCK_ACCOUNTS, values: [locks, lockedAlone], name: 'lock_accounts' },
      { text: SPENT, values: [...columnsOf(accounts, 3), days], name: 'spent' },
    ],
    false,
    true,
  );
  return {
    issuedFrom: Number(issued!.rows[0]?.[0] ?? 0),
    closed: new Set(closed!.rows.map(([advertiser, month]) => `${String(month)}${String(advertiser)}`)),
    events: new Map(stored!.rows.map(([kind, id, at]) => [`${String(kind)}${String(id)}`, at as number])),
    spent: new Map(
      spent!.rows.map(([day, advertiser, campaign, creative, micros]) => [
        `${String(day)} ${accountKey({ advertiser, campaign, creative } as Account)}`,
        micros as number,
      ]),
    ),
  };
}

const STATEMENT_MS = 10_000;
const LOCK_SHARED = `select pg_advisory_xact_lock_shared(${ADJACENT_LOCKS}, ${LOCKS.ledger})`;
const LOCK_ALONE = `select pg_advisory_xact_lock(${ADJACENT_LOCKS}, ${LOCKS.ledger})`;
/** As `readIssuedFrom`. */
const ISSUED_FROM = "select value from installation where name in ('issued_from', 'kept_from') order by name limit 1";
const CLOSED = 'select advertiser, month from closed_months where advertiser = any($1::text[])';
const STORED = `
  select kind, encode(id, 'hex'), at from events
  where id = any(array(select decode(wanted, 'hex') from unnest($1::text[]) as wanted))`;
const LOCK_ACCOUNTS = `
  select case when alone then pg_advisory_xact_lock(account) else pg_advisory_xact_lock_shared(account) end
  from unnest($1::bigint[], $2::boolean[]) as wanted (account, alone)`;
const SPENT = `
  select day, advertiser, campaign, creative, sum(micros)
  from unnest($1::text[], $2::text[], $3::text[]) as wanted (advertiser, campaign, creative)
  join spend using (advertiser, campaign, creative)
  where day = any($4::bigint[]) group by day, advertiser, campaign, creative`;

/** In the order of their ids, so that two batches with the same events do not wait for each other. */
function insertEvents(events: readonly EventRow[]): PostgresQuery {
  const rows = events.toSorted((one, other) => compare(one.id, other.id) || compare(one.kind, other.kind));
  const values = [
    rows.map(({ id }) => id),
    rows.map(({ kind }) => kind),
    rows.map(({ at }) => at),
    rows.map(({ dimensionSet }) => dimensionSet),
    rows.map((row) => row.priceMicros),
    rows.map(({ reason }) => reason),
    rows.map(({ month }) => month),
  ];
  return { text: INSERT_EVENTS, values, name: 'insert_events' };
}

/** Without "on conflict": one that was stored meanwhile fails the transaction, with the commit that was sent along. */
const INSERT_EVENTS = `
  insert into events (id, kind, at, dimension_set, price_micros, reason, month)
  select decode(id, 'hex'), kind, at, dimension_set, price_micros, reason, month
  from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::int[])
    as added (id, kind, at, dimension_set, price_micros, reason, month)`;

function sumQueries({ counters, billed, spend }: SumRows, slot: number): PostgresQuery[] {
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
const MOVE_CLOCK = `
  insert into installation (name, value) values ('clock', $1)
  on conflict (name) do update set value = excluded.value
  where cast(excluded.value as bigint) > cast(installation.value as bigint)`;

/** In transactions of their own, kept whatever becomes of the batch: nobody waits for the names of another's batch. */
function idsOf(connection: PostgresConnection, rows: readonly NameRow[]): number[] {
  const keys = rows.map((row) => JSON.stringify(row));
  const wanted = [...new Map(rows.map((row, position) => [keys[position]!, row])).values()];
  const ids = new Map<string, number>();
  for (let tries = 0; tries < 2 && ids.size < wanted.length; tries++) {
    const missing = wanted.filter((row) => !ids.has(JSON.stringify(row)));
    if (tries > 0) connection.send([{ text: ADD_NAMES, values: columnsOf(missing, 5) }], false, true);
    const [found] = connection.send([{ text: FIND_NAMES, values: columnsOf(missing, 5) }], false, true);
    for (const [id, ...names] of found!.rows) ids.set(JSON.stringify(names), id as number);
  }
  return keys.map((key) => ids.get(key)!);
}

const NAMES = 'publisher, advertiser, campaign, creative, test';
const WANTED = `unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::smallint[]) as wanted (${NAMES})`;
const FIND_NAMES = `
  select dimension_set, ${NAMES.split(', ')
    .map((name) => `d.${name}`)
    .join()} from ${WANTED}
  join dimension_sets d on names_digest(d.publisher, d.advertiser, d.campaign, d.creative, d.test)
    = names_digest(wanted.publisher, wanted.advertiser, wanted.campaign, wanted.creative, wanted.test)`;
const ADD_NAMES = `
  insert into dimension_sets (${NAMES}) select ${NAMES} from ${WANTED} order by ${NAMES} on conflict do nothing`;

function columnsOf(rows: readonly (readonly unknown[])[], width: number): unknown[][] {
  return Array.from({ length: width }, (_, column) => rows.map((row) => row[column]));
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

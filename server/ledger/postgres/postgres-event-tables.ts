import type { Calendar } from '../../../platform/time/calendar.js';
import { ADJACENT_LOCKS, LOCKS } from '../../../platform/postgres/locks.js';
import { elapsedMs } from '../../../platform/time/elapsed.js';
import { type Account, accountKey } from '../../domain/billing.js';
import type { Batch } from '../tables/batch.js';
import { createDimensionSetIds, dimensionSetOf } from '../tables/dimension-sets.js';
import type { EventRow, EventTables } from '../tables/event-tables.js';
import { accountLocks, needsExclusiveLock, limitedAccounts, type LimitedAccount } from './budget-locks.js';
import { columnsOf, PostgresError, type PostgresConnection } from './postgres-connection.js';
import { idsOf } from './postgres-dimension-sets.js';
import { takeSlot } from './slots.js';
import type { PostgresQuery } from './postgres-worker.js';
import { insertEvents, MOVE_CLOCK, sumQueries } from './writes.js';

/** After so many failures caused by other writers, a batch is counted under an exclusive lock. */
const MAX_SHARED_TRIES = 4;
/** Duplicate key (another writer stored an event first), serialisation failure, deadlock. */
const CONFLICT_CODES = /^(23505|40001|40P01)$/;

/**
 * The hot path in PostgreSQL, for several servers that count at the same time: two round trips per batch. The first
 * reads everything that decides the outcomes, the second writes everything and commits. All batches share an advisory
 * lock; closing a month, rebuilding roll-ups and similar work hold it exclusively. If another server has stored an
 * event of the batch in the meantime, the whole batch fails and is counted again. Each server adds to sums in its own
 * slot, so that servers do not wait for each other. Only batches with events of the same account wait for each other,
 * from reading its spend until the commit, and only while one of its limits is near (`budget-locks.ts`).
 */
export function createPostgresEventTables(connection: PostgresConnection, calendar: Calendar): EventTables {
  const slot = takeSlot(connection);
  const dimensionSets = createDimensionSetIds((rows) => idsOf(connection, rows));
  /** Accounts that were near a limit when last checked. */
  const nearLimit = new Set<string>();
  let known = NOTHING_KNOWN;
  let added: EventRow[] = [];
  let writes: PostgresQuery[] | undefined;

  const add = (queries: readonly PostgresQuery[]): void => {
    if (writes === undefined) connection.send(queries, false);
    else writes.push(...queries);
  };
  const read = (batch: Batch, exclusive: boolean): void => {
    const limited = limitedAccounts(batch.events, calendar);
    for (;;) {
      known = readKnown(connection, batch, limited, nearLimit, exclusive);
      const unsafe = limited.filter((account) => {
        const needsLock = needsExclusiveLock(account, (day) => known.spent.get(`${day} ${account.key}`) ?? 0, slot);
        if (!needsLock) nearLimit.delete(account.key);
        return needsLock && !nearLimit.has(account.key);
      });
      if (unsafe.length === 0) return;
      // Two holders of a shared lock cannot both wait to make it exclusive: the transaction begins again.
      connection.rollBack();
      for (const { key } of unsafe) nearLimit.add(key);
    }
  };
  const attempt = <T>(batch: Batch, count: () => T, exclusive: boolean): T => {
    read(batch, exclusive);
    added = [];
    writes = [];
    const result = count();
    connection.send([...(added.length > 0 ? [insertEvents(added)] : []), ...writes, { text: 'commit' }], false);
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
          return attempt(batch, count, tries >= MAX_SHARED_TRIES);
        } catch (error) {
          connection.rollBack();
          const isConflict = error instanceof PostgresError && !error.lost && CONFLICT_CODES.test(error.code);
          if (!isConflict || tries > MAX_SHARED_TRIES) throw error;
        } finally {
          writes = undefined;
        }
      }
    },
    issuedFrom: () => known.issuedFrom,
    isClosed: (advertiser, month) => known.closed.has(`${month}${advertiser.toWellFormed()}`),
    shownAt: (id) => known.events.get(`impression${id}`),
    shownForMs(id, moment = known.readAt) {
      const shown = known.shownForMs.get(id);
      return shown === undefined ? Infinity : shown - (known.readAt - moment);
    },
    spent: (account, day) => known.spent.get(`${day} ${accountKey(account)}`) ?? 0,
    addEvent(event) {
      const key = event.kind + event.id;
      if (known.events.has(key)) return false;
      known.events.set(key, event.at);
      if (event.kind === 'impression') known.shownForMs.set(event.id, known.readAt - (event.seenAt ?? known.readAt));
      added.push(event);
      return true;
    },
    addSums: (sums) => add(sumQueries(sums, slot)),
    moveClock: (mark) => add([{ text: MOVE_CLOCK, values: [String(mark)], name: 'move_clock' }]),
  };
}

/** Everything that decides the outcomes of a batch's events. */
interface Known {
  readonly issuedFrom: number;
  /** Closed months, each as month and advertiser. */
  readonly closed: ReadonlySet<string>;
  /** When each event happened, by kind and id: all kinds for each of the batch's ids. */
  readonly events: Map<string, number>;
  /** When this was read, by `elapsedMs`. */
  readonly readAt: number;
  /** How long before `readAt` each impression arrived at a server, by its id. */
  readonly shownForMs: Map<string, number>;
  /** Micros spent, by day and account. */
  readonly spent: ReadonlyMap<string, number>;
}

const NOTHING_KNOWN: Known = {
  issuedFrom: 0,
  closed: new Set(),
  events: new Map(),
  readAt: 0,
  shownForMs: new Map(),
  spent: new Map(),
};

function readKnown(
  connection: PostgresConnection,
  { events }: Batch,
  limited: readonly LimitedAccount[],
  nearLimit: ReadonlySet<string>,
  exclusive: boolean,
): Known {
  const { locks, exclusive: lockedExclusively } = accountLocks(limited, nearLimit);
  const accounts = limited.map(({ advertiser, campaign, creative }) => [advertiser, campaign, creative]);
  const days = distinct(limited.flatMap(({ spans }) => [...spans.keys()]));
  const readAt = elapsedMs();
  const [, , , issued, closed, stored, , spent] = connection.send(
    [
      { text: 'begin isolation level read committed' },
      { text: `set local statement_timeout = ${STATEMENT_MS}` },
      { text: exclusive ? LOCK_EXCLUSIVE : LOCK_SHARED, name: exclusive ? 'lock_alone' : 'lock_shared' },
      { text: ISSUED_FROM, name: 'issued_from' },
      { text: CLOSED, values: [distinct(events.map(({ claims }) => claims.advertiser ?? ''))], name: 'closed' },
      { text: STORED, values: [distinct(events.map(({ id }) => id))], name: 'stored' },
      { text: LOCK_ACCOUNTS, values: [locks, lockedExclusively], name: 'lock_accounts' },
      { text: SPENT, values: [...columnsOf(accounts, 3), days], name: 'spent' },
    ],
    false,
  );
  return {
    issuedFrom: Number(issued!.rows[0]?.[0] ?? 0),
    closed: new Set(closed!.rows.map(([advertiser, month]) => `${String(month)}${String(advertiser)}`)),
    events: new Map(stored!.rows.map(([kind, id, at]) => [`${String(kind)}${String(id)}`, at as number])),
    readAt,
    shownForMs: new Map(
      stored!.rows.flatMap(([kind, id, , ms]) =>
        kind === 'impression' && ms !== null ? [[String(id), ms as number] as const] : [],
      ),
    ),
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
const LOCK_EXCLUSIVE = `select pg_advisory_xact_lock(${ADJACENT_LOCKS}, ${LOCKS.ledger})`;
/** The same as `readIssuedFrom`. */
const ISSUED_FROM = "select value from installation where name in ('issued_from', 'kept_from') order by name limit 1";
const CLOSED = 'select advertiser, month from closed_months where advertiser = any($1::text[])';
/** Measured from `now()`, the start of the transaction, since it may have waited for locks after that. */
const STORED = `
  select kind, encode(id, 'hex'), at, (extract(epoch from now() - stored_at) * 1000)::bigint from events
  where id = any(array(select decode(wanted, 'hex') from unnest($1::text[]) as wanted))`;
const LOCK_ACCOUNTS = `
  select case when alone then pg_advisory_xact_lock(account) else pg_advisory_xact_lock_shared(account) end
  from unnest($1::bigint[], $2::boolean[]) as wanted (account, alone)`;
const SPENT = `
  select day, advertiser, campaign, creative, sum(micros)
  from unnest($1::text[], $2::text[], $3::text[]) as wanted (advertiser, campaign, creative)
  join spend using (advertiser, campaign, creative)
  where day = any($4::bigint[]) group by day, advertiser, campaign, creative`;

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

import { elapsedMs } from '../../../platform/time/elapsed.js';
import { ADJACENT_LOCKS, LOCKS } from '../../../platform/postgres/locks.js';
import { type Account, accountKey } from '../../domain/billing.js';
import type { Batch } from '../tables/batch.js';
import { accountLocks, type LimitedAccount } from './budget-locks.js';
import { columnsOf, type PostgresConnection } from './postgres-connection.js';

/** Everything that decides the outcomes of a batch's events. */
export interface Known {
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

export const NOTHING_KNOWN: Known = {
  issuedFrom: 0,
  closed: new Set(),
  events: new Map(),
  readAt: 0,
  shownForMs: new Map(),
  spent: new Map(),
};

/**
 * Begins a transaction and reads, in one round trip, what decides the outcomes of a batch's events.
 *
 * @param nearLimit keys of the accounts among `limited` to lock exclusively; the others are locked shared
 * @param exclusive whether to keep all other batches waiting until the commit
 * @throws PostgresError
 */
export function readKnown(
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

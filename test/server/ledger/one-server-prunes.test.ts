import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Client } from 'pg';
import { openClient } from '../../../platform/postgres/connection.js';
import { ADJACENT_LOCKS, LOCKS } from '../../../platform/postgres/locks.js';
import { DAY } from '../../../platform/time/durations.js';
import { openForWriting } from '../../../server/ledger/database.js';
import { eventually } from '../../support/eventually.js';
import { testClaims, testDigest } from '../../support/test-claims.js';
import { temporaryLedgerIn, type TemporaryLedger } from './temporary-ledger.js';

const child = fileURLToPath(new URL('pruning-child.js', import.meta.url));
/** Each walk through the old events begins with a write of `kept_from`. */
const NOTE_WALKS = `
  create table walks (at timestamptz not null default clock_timestamp());
  create function note_walk() returns trigger language plpgsql as
    $$ begin insert into walks default values; return new; end $$;
  create trigger walk after insert or update on installation for each row
    when (new.name = 'kept_from') execute function note_walk();`;

describe('several servers that share one ledger in PostgreSQL', function () {
  this.timeout(180_000);
  let temporary: TemporaryLedger;
  let url: string;
  let client: Client;
  let servers: ChildProcess[];
  beforeEach(async () => {
    servers = [];
    temporary = await temporaryLedgerIn('PostgreSQL');
    url = (temporary.location as { url: string }).url;
    client = await openClient(url);
  });
  afterEach(async () => {
    for (const server of servers) server.kill('SIGKILL');
    await client.end();
    await temporary.remove();
  });

  const serve = async (): Promise<ChildProcess> => {
    const server = spawn(process.execPath, [child, url], { stdio: ['ignore', 'pipe', 'inherit'] });
    servers.push(server);
    await once(server.stdout, 'data');
    return server;
  };
  const countOf = async (from: string): Promise<number> =>
    Number((await client.query<{ n: string }>(`select count(*) as n from ${from}`)).rows[0]!.n);
  const pruners = `pg_locks where locktype = 'advisory' and classid = ${ADJACENT_LOCKS} and objid = ${LOCKS.pruning}
    and database = (select oid from pg_database where datname = current_database())`;
  /** Stores an event of 90 days ago, which a server would ignore as expired once older ones were deleted. */
  const storeOldEvent = (number: number) =>
    client.query(
      `insert into events (id, kind, at, dimension_set, price_micros, reason, month)
       select decode($1, 'hex'), 'click', $2, min(dimension_set), 0, '', 202601 from dimension_sets`,
      [testDigest(number), Date.now() - 90 * DAY],
    );

  it('prune it one at a time, and another one takes over when the pruner is killed', async () => {
    const ledger = await temporary.open();
    const at = Date.now();
    await ledger.record({ kind: 'impression', id: testDigest(1), claims: testClaims({ issuedAt: at }), at });
    await ledger.close();
    await client.query(NOTE_WALKS);
    await storeOldEvent(2);
    const first = await serve();
    await eventually(async () => expect(await countOf('events')).to.equal(1), 60_000);
    await serve();
    await serve();
    // Each of them tries to prune within a second of its start.
    await pause(4000);
    expect([await countOf('walks'), await countOf(pruners)]).to.deep.equal([1, 1]);
    await storeOldEvent(3);
    first.kill('SIGKILL');
    await eventually(async () => expect(await countOf('events')).to.equal(1), 60_000);
    await pause(4000);
    expect([await countOf('walks'), await countOf(pruners)]).to.deep.equal([2, 1]);
  });

  it('try to become its pruner without waiting, and succeed once the pruner has closed it', async () => {
    await (await temporary.open()).close();
    const [one, other] = [openForWriting(temporary.location, 0), openForWriting(temporary.location, 0)];
    expect([one.becomePruner(), other.becomePruner(), one.becomePruner()]).to.deep.equal([true, false, true]);
    one.exclusively(() => expect(other.becomePruner()).to.equal(false));
    one.close();
    await eventually(() => expect(other.becomePruner()).to.equal(true), 10_000);
    other.close();
  });
});

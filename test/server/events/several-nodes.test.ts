import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { openClient } from '../../../platform/postgres/connection.js';
import { ADJACENT_LOCKS, LOCKS } from '../../../platform/postgres/locks.js';
import { DAY } from '../../../platform/time/durations.js';
import type { EventKind } from '../../../models/schema/event-kinds.js';
import { parseSigningKeys } from '../../../server/domain/signing-key.js';
import { testCountEvent } from '../../support/test-count-event.js';
import { openEventSpool, SPOOL_FILE, type EventSpool } from '../../../server/events/event-spool.js';
import { drainSpool } from '../../../server/events/drain-spool.js';
import { createRecentImpressions } from '../../../server/events/recent-impressions.js';
import type { ServerLedger } from '../../../server/ledger/server-ledger.js';
import { LedgerUnavailableError, type Ledger } from '../../../server/ledger/tables/ledger.js';
import { createRequestIds } from '../../../server/request-id/request-ids.js';
import { eventually } from '../../support/eventually.js';
import { testClaims } from '../../support/test-claims.js';
import { temporaryLedgerIn, type TemporaryLedger } from '../ledger/temporary-ledger.js';

const at = Date.UTC(2026, 10, 24, 12);
const windows = { impressionWindowMs: DAY, clickWindowMs: 30 * DAY };
const requestIds = createRequestIds(parseSigningKeys(randomBytes(32).toString('base64')));
const claims = testClaims({ pricing: { model: 'cpc', micros: 450_000 }, issuedAt: at - 1000 });
const log = { info: () => undefined, error: () => undefined };
const waiting = { counted: false, reason: 'waiting' };

describe('a click at one of several nodes', function () {
  this.timeout(120_000);
  let temporary: TemporaryLedger;
  let client: Client;
  let ledger: ServerLedger;
  let file: string;
  beforeEach(async () => {
    temporary = await temporaryLedgerIn('PostgreSQL');
    file = join(temporary.dataDir, SPOOL_FILE);
    ledger = await temporary.open({ busyTimeoutMs: 10_000 });
    client = await openClient((temporary.location as { url: string }).url);
  });
  afterEach(async () => {
    await client.end();
    await temporary.remove();
  });

  /** A node without memory of earlier impressions; all nodes use the same ledger. */
  const node = (spool: EventSpool, held: Ledger = ledger) => {
    const countEvent = testCountEvent({
      requestIds,
      ledger: held,
      windows,
      spool,
      recentImpressions: createRecentImpressions(),
      hasNodes: true,
    });
    return (kind: EventKind, requestId: string, after: number) =>
      countEvent({ kind, requestId, method: 'GET', headers: {} }, at + after);
  };
  const openSpool = (now = at, name = file) => openEventSpool({ file: name, log, now: () => now });
  const holdLedger = async () => {
    await client.query('begin');
    await client.query(`select pg_advisory_xact_lock(${ADJACENT_LOCKS}, ${LOCKS.ledger})`);
    return () => client.query('commit');
  };
  /**
   * Sends a beacon to another node, where it waits because the ledger is held, and a click a tenth of a second later.
   * @returns ends that
   */
  const clickWhileHeld = async (spool: EventSpool) => {
    const requestId = requestIds.issue(claims);
    await node(spool)('impression', requestId, 0);
    const release = await holdLedger();
    expect(await node(spool)('click', requestId, 100)).to.deep.equal(waiting);
    return release;
  };
  const away: Ledger['record'] = () => Promise.reject(new LedgerUnavailableError(new Error('away')));
  const handOver = async (spool: EventSpool) => {
    const handing = drainSpool({ spool, ledger, log, everyMs: 10 });
    await eventually(() => expect(spool.waiting()).to.deep.equal([]), 20_000);
    await handing.close();
  };
  const clicks = async () => {
    await ledger.close();
    const { rows } = await client.query<{ reason: string; n: number; micros: number }>(
      `select reason, sum(times)::int as n, sum(micros)::int as micros from counters
       where grain = 'day-total' and counted = 'click' group by reason order by reason`,
    );
    return rows.map(({ reason, n, micros }) => [reason, n, micros]);
  };

  it('is too soon after a beacon to another node, however long the ledger takes', async () => {
    const spool = await openSpool();
    const release = await clickWhileHeld(spool);
    await pause(700);
    await release();
    await eventually(() => expect(spool.waiting()).to.deep.equal([]), 20_000);
    expect(await clicks()).to.deep.equal([['too-soon', 1, 0]]);
  });

  it('is too soon, once, when it is handed over before the ledger has answered', async () => {
    const spool = await openSpool();
    const release = await clickWhileHeld(spool);
    const handing = handOver(spool);
    await pause(700);
    await release();
    await handing;
    expect(await clicks()).to.deep.equal([['too-soon', 1, 0]]);
  });

  it('is too soon when it waited on disk, also across a restart', async () => {
    for (const restarted of [false, true]) {
      let spool = await openSpool();
      const requestId = requestIds.issue(claims);
      await node(spool)('impression', requestId, 0);
      const click = node(spool, { ...ledger, record: away });
      expect(await click('click', requestId, 100)).to.deep.equal(waiting);
      await pause(700);
      if (restarted) spool = await openSpool(at + 800);
      await handOver(spool);
    }
    expect(await clicks()).to.deep.equal([['too-soon', 2, 0]]);
  });

  it("counts when its beacon is repeated here and only the other node's clock says that the ad was just shown", async () => {
    const spool = await openSpool();
    const requestId = requestIds.issue(claims);
    // The other node's clock is a minute ahead.
    await node(spool)('impression', requestId, 59_900);
    await pause(700);
    const here = node(spool);
    const release = await holdLedger();
    const beacon = here('impression', requestId, 60_000);
    expect(await here('click', requestId, 60_100)).to.deep.equal(waiting);
    await release();
    expect(await beacon).to.deep.equal({ counted: false, reason: 'repeated' });
    await eventually(() => expect(spool.waiting()).to.deep.equal([]), 20_000);
    expect(await clicks()).to.deep.equal([['', 1, 450_000]]);
  });

  it("counts when its beacon waited on the disk of the other node and only that node's clock says that the ad was just shown", async () => {
    const [there, here] = [await openSpool(), await openSpool(at, `${file}-here`)];
    const requestId = requestIds.issue(claims);
    const held = { ...ledger, record: away };
    await node(there, held)('impression', requestId, 59_900).catch(() => undefined);
    await pause(700);
    expect(await node(here, held)('click', requestId, 60_000)).to.deep.equal(waiting);
    await handOver(there);
    await handOver(here);
    expect(await clicks()).to.deep.equal([['', 1, 450_000]]);
  });

  it('is too soon after a beacon that is being recorded here', async () => {
    const spool = await openSpool();
    const requestId = requestIds.issue(claims);
    const here = node(spool);
    const release = await holdLedger();
    const beacon = here('impression', requestId, 0);
    expect(await here('click', requestId, 100)).to.deep.equal(waiting);
    await pause(700);
    await release();
    expect(await beacon).to.include({ counted: true });
    await eventually(() => expect(spool.waiting()).to.deep.equal([]), 20_000);
    expect(await clicks()).to.deep.equal([['too-soon', 1, 0]]);
  });
});

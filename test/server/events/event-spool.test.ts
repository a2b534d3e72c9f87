import Sqlite from 'better-sqlite3';
import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventKind } from '../../../models/schema/event-kinds.js';
import { openEventSpool, SPOOL_FILE, type EventSpool } from '../../../server/events/event-spool.js';
import { testCountEvent } from '../../support/test-count-event.js';
import { createRecentImpressions } from '../../../server/events/recent-impressions.js';
import { drainSpool } from '../../../server/events/drain-spool.js';
import type { ServerLedger } from '../../../server/ledger/server-ledger.js';
import { openForWriting } from '../../../server/ledger/database.js';
import { writeKeptFrom } from '../../../server/ledger/tables/accounting-basis.js';
import { LedgerUnavailableError, type UsageEvent } from '../../../server/ledger/tables/ledger.js';
import { createRequestIds } from '../../../server/request-id/request-ids.js';
import { elapsedMs } from '../../../platform/time/elapsed.js';
import { parseSigningKeys } from '../../../server/domain/signing-key.js';
import { DAY } from '../../../platform/time/durations.js';
import { eventually } from '../../support/eventually.js';
import { testClaims, testDigest } from '../../support/test-claims.js';
import { temporaryLedger, type TemporaryLedger } from '../ledger/temporary-ledger.js';

const windows = { impressionWindowMs: DAY, clickWindowMs: 30 * DAY };
const at = Date.UTC(2026, 10, 21, 12);
const requestIds = createRequestIds(parseSigningKeys(randomBytes(32).toString('base64')));
const claims = testClaims({ pricing: { model: 'cpc', micros: 450_000 }, issuedAt: at });
const headers = { 'user-agent': 'Mozilla/5.0' };
const waiting = { counted: false, reason: 'waiting' };

describe('a click while the ledger is unavailable', () => {
  let temporary: TemporaryLedger;
  let file: string;
  let faults: object[];
  beforeEach(() => {
    temporary = temporaryLedger();
    file = join(temporary.dataDir, SPOOL_FILE);
    faults = [];
  });
  afterEach(() => temporary.remove());

  const log = { info: () => undefined, error: (details: object) => void faults.push(details) };
  const openSpool = (maxEvents?: number) =>
    openEventSpool({ file, log, ...(maxEvents === undefined ? {} : { maxEvents }) });
  const counting = (ledger: ServerLedger, spool: EventSpool) => {
    const countEvent = testCountEvent({ requestIds, ledger, windows, spool });
    return (requestId: string, now = at) =>
      countEvent({ kind: 'click', requestId, creativeInPath: 'mower-1', method: 'GET', headers: {} }, now);
  };
  const locked = (): { free(): void } => {
    const other = new Sqlite(temporary.file);
    other.exec('begin immediate');
    return { free: () => void other.exec('rollback').close() };
  };
  const handingOver = (ledger: ServerLedger, spool: EventSpool) => drainSpool({ spool, ledger, log, everyMs: 10 });
  const stored = () => {
    const database = new Sqlite(temporary.file, { readonly: true });
    try {
      const events = database.prepare('select at, price_micros from events order by at, price_micros').all();
      const counted = "select reason, times, micros from counters where grain = 'day' order by reason, micros";
      return { events, counters: database.prepare(counted).all() };
    } finally {
      database.close();
    }
  };
  const once = {
    events: [{ at, price_micros: 450_000 }],
    counters: [{ reason: '', times: 1, micros: 450_000 }],
  };

  it('is kept on disk, and counted once with its own time when the ledger is back', async () => {
    const ledger = await temporary.open({ busyTimeoutMs: 20 });
    const spool = await openSpool();
    const click = counting(ledger, spool);
    const handing = handingOver(ledger, spool);
    const { free } = locked();
    const requestId = requestIds.issue(claims);
    expect(await click(requestId)).to.deep.equal(waiting);
    expect(await click(requestId, at + 1)).to.deep.equal(waiting);
    expect(readFileSync(file, 'utf8').split('\n')).to.have.length(2);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    free();
    await eventually(() => expect(existsSync(file)).to.equal(false));
    await handing.close();
    await ledger.close();
    expect(stored()).to.deep.equal(once);
  });

  it('is on disk before the response when the ledger is slow, and is counted once, whichever is first', async () => {
    const ledger = await temporary.open({ busyTimeoutMs: 5000 });
    const spool = await openSpool();
    const click = counting(ledger, spool);
    const { free } = locked();
    expect(await click(requestIds.issue(claims))).to.deep.equal(waiting);
    expect(existsSync(file)).to.equal(true);
    const handing = handingOver(ledger, spool);
    free();
    await eventually(() => expect(existsSync(file)).to.equal(false));
    await handing.close();
    await ledger.close();
    expect(stored()).to.deep.equal(once);
  });

  it('is counted once after a restart, whether or not the ledger had stored it before the crash', async () => {
    const before = await temporary.open({ busyTimeoutMs: 20 });
    const abandoned = await openSpool();
    const { free } = locked();
    expect(await counting(before, abandoned)(requestIds.issue(claims))).to.deep.equal(waiting);
    free();
    const [kept] = abandoned.waiting();
    await before.close();
    for (const start of [1, 2]) {
      const ledger = await temporary.open();
      const spool = await openSpool();
      // The second time, the ledger's commit was the last step before the crash.
      if (start === 2) await spool.add(kept!);
      expect(spool.waiting()).to.deep.equal([kept]);
      const handing = handingOver(ledger, spool);
      await eventually(() => expect(existsSync(file)).to.equal(false));
      await handing.close();
      await ledger.close();
      expect(stored()).to.deep.equal(once);
    }
  });

  it('does not keep stored events in the file for longer than needed while it waits', async () => {
    const spool = await openEventSpool({ file, log, stale: 3 });
    const events = Array.from({ length: 5 }, (_, n): UsageEvent => ({
      kind: 'click',
      id: String(n).repeat(32),
      claims,
      at,
    }));
    for (const event of events) await spool.add(event);
    const inFile = () => readFileSync(file, 'utf8').split('\n').length - 1;
    await spool.remove(events.slice(0, 2));
    expect(inFile()).to.equal(5);
    await spool.remove(events.slice(2, 4));
    expect(inFile()).to.equal(1);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    await spool.add(events[0]!);
    expect((await openSpool()).waiting()).to.deep.equal([events[4], events[0]]);
  });

  it('is kept when the ledger closes meanwhile', async () => {
    const ledger = await temporary.open({ busyTimeoutMs: 50 });
    const spool = await openSpool();
    const { free } = locked();
    const answer = counting(ledger, spool)(requestIds.issue(claims));
    await ledger.close();
    await spool.close();
    free();
    expect((await openSpool()).waiting()).to.have.length(1);
    expect(await answer).to.deep.equal(waiting);
  });

  it('is lost, and counted as lost, when too many wait', async () => {
    const ledger = await temporary.open({ busyTimeoutMs: 20 });
    const click = counting(ledger, await openSpool(2));
    const { free } = locked();
    const outcomes = [];
    for (let time = 0; time < 3; time++) outcomes.push(await click(requestIds.issue(claims)));
    expect(outcomes).to.deep.equal([waiting, waiting, { counted: false, reason: 'lost' }]);
    free();
  });

  it('is counted with its impression when the client was told to retry all its beacons', async () => {
    const ledger = await temporary.open({ busyTimeoutMs: 20 });
    const spool = await openSpool();
    let elapsed = 0;
    const recentImpressions = createRecentImpressions(() => (elapsed += 1000));
    const countEvent = testCountEvent({ requestIds, ledger, windows, spool, recentImpressions });
    const requestId = requestIds.issue(claims);
    const count = (kind: EventKind, now: number) => countEvent({ kind, requestId, method: 'GET', headers }, now);
    const { free } = locked();
    for (const time of [1, 2]) {
      const answer = await count('impression', at + time).catch((error: unknown) => error);
      expect(answer).to.be.instanceOf(LedgerUnavailableError);
    }
    expect(await count('click', at + 3)).to.deep.equal(waiting);
    expect(spool.waiting().map(({ kind }) => kind)).to.deep.equal(['impression', 'click']);
    const reopened = await openSpool();
    expect(reopened.waiting()).to.deep.equal(spool.waiting());
    free();
    const handing = handingOver(ledger, spool);
    await eventually(() => expect(existsSync(file)).to.equal(false));
    expect(await count('impression', at + 4)).to.deep.equal({ counted: false, reason: 'repeated' });
    await handing.close();
    await ledger.close();
    expect(stored()).to.deep.equal({
      events: [
        { at: at + 1, price_micros: 0 },
        { at: at + 3, price_micros: 450_000 },
      ],
      counters: [
        { reason: '', times: 1, micros: 0 },
        { reason: '', times: 1, micros: 450_000 },
        { reason: 'repeated', times: 1, micros: 0 },
      ],
    });
  });

  it('has half of the capacity reserved for clicks', async () => {
    const spool = await openSpool(2);
    const add = (kind: EventKind, number: number) =>
      spool.add({ kind, id: testDigest(number), claims, at }).then(
        () => 'kept',
        () => 'refused',
      );
    expect([
      await add('impression', 1),
      await add('view', 1),
      await add('click', 1),
      await add('click', 2),
    ]).to.deep.equal(['kept', 'refused', 'kept', 'refused']);
  });

  it('has no capacity that pending additions already use', async () => {
    const spool = await openSpool(2);
    const click = (number: number): UsageEvent => ({ kind: 'click', id: testDigest(number), claims, at });
    const added = await Promise.allSettled([1, 2, 3].map((number) => spool.add(click(number))));
    expect(added.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'rejected']);
  });

  it('has a seenAt in a later process that follows from the clock that dated it', async () => {
    const click: UsageEvent = { kind: 'click', id: testDigest(1), claims, at, seenAt: 5 };
    await (await openSpool()).add(click);
    for (const passed of [10_000, -10_000]) {
      const spool = await openEventSpool({ file, log, now: () => at + passed });
      const { seenAt, ...same } = spool.waiting()[0]!;
      expect(same).to.deep.equal({ kind: 'click', id: testDigest(1), claims, at });
      // If an event is dated ahead of the clock, no clock shows when it was seen.
      expect(elapsedMs() - seenAt!).to.be.within(Math.max(passed, 0), Math.max(passed, 0) + 2000);
    }
  });

  it('is dropped if its file was deleted', async () => {
    const spool = await openSpool();
    const click: UsageEvent = { kind: 'click', id: testDigest(1), claims, at };
    await spool.add(click);
    rmSync(file);
    await spool.remove([click]);
    expect(spool.waiting()).to.deep.equal([]);
  });

  it('waits for its impression, and is no-impression after ten minutes', async () => {
    const ledger = await temporary.open();
    const spool = await openSpool();
    let elapsed = 0;
    const outcomes: string[] = [];
    const record = async (event: UsageEvent) => {
      const outcome = await ledger.record(event);
      outcomes.push(outcome.counted ? 'counted' : outcome.reason);
      return outcome;
    };
    const watched = { record, ignore: ledger.ignore };
    const handing = drainSpool({
      spool,
      ledger: watched,
      log,
      everyMs: 1,
      elapsed: () => elapsed,
    });
    const [early, late] = [1, 2].map((number): UsageEvent => ({
      kind: 'click',
      id: testDigest(number),
      claims,
      at,
      needsShown: true,
    }));
    await spool.add(early!);
    await spool.add(late!);
    await eventually(() => expect(outcomes).to.have.length(2));
    await ledger.record({ kind: 'impression', id: early!.id, claims, at });
    elapsed = 60_000;
    await eventually(() => expect(spool.waiting()).to.deep.equal([late]));
    elapsed = 599_999;
    await eventually(() => expect(outcomes).to.have.length(5));
    expect(spool.waiting()).to.deep.equal([late]);
    elapsed += 10_000;
    await eventually(() => expect(existsSync(file)).to.equal(false));
    await handing.close();
    await ledger.close();
    expect(outcomes.filter((reason) => reason === 'counted')).to.have.length(1);
    expect(stored().counters).to.deep.equal([
      { reason: '', times: 1, micros: 0 },
      { reason: '', times: 1, micros: 450_000 },
      { reason: 'no-impression', times: 1, micros: 0 },
    ]);
  });

  it('keeps waiting for its impression if the slow ledger had none', async () => {
    const ledger = await temporary.open({ busyTimeoutMs: 5000 });
    const spool = await openSpool();
    const recentImpressions = createRecentImpressions();
    const countEvent = testCountEvent({ requestIds, ledger, windows, spool, recentImpressions });
    const { free } = locked();
    const requestId = requestIds.issue(claims);
    expect(await countEvent({ kind: 'click', requestId, method: 'GET', headers }, at)).to.deep.equal(waiting);
    free();
    const [click] = spool.waiting();
    await eventually(() => expect(spool.isIgnored(click!)).to.equal(true));
    await ledger.record({ kind: 'impression', id: click!.id, claims, at });
    const handing = handingOver(ledger, spool);
    await eventually(() => expect(existsSync(file)).to.equal(false));
    await handing.close();
    await ledger.close();
    expect(stored().events).to.deep.equal([
      { at, price_micros: 0 },
      { at, price_micros: 450_000 },
    ]);
  });

  it('is counted when it is handed over under a clock that is months ahead', async () => {
    const ledger = await temporary.open({ clock: () => at + 90 * DAY });
    const spool = await openSpool();
    await spool.add({ kind: 'click', id: testDigest(1), claims, at });
    const handing = handingOver(ledger, spool);
    await eventually(() => expect(existsSync(file)).to.equal(false));
    await handing.close();
    await ledger.close();
    expect(stored()).to.deep.equal(once);
  });

  it('is expired once, however often it is handed over, if events of its ad may have been deleted', async () => {
    const ledger = await temporary.open();
    const database = openForWriting(temporary.location, 1000);
    writeKeptFrom(database, at - 30 * DAY);
    database.close();
    const spool = await openSpool();
    const old = { ...claims, issuedAt: at - 40 * DAY };
    const click: UsageEvent = { kind: 'click', id: testDigest(1), claims: old, at };
    // As after a crash before the spool was updated.
    await ledger.record({ ...click, replayed: true });
    await spool.add(click);
    const handing = handingOver(ledger, spool);
    await eventually(() => expect(existsSync(file)).to.equal(false));
    await handing.close();
    await ledger.close();
    expect(stored()).to.deep.equal({ events: [], counters: [{ reason: 'expired', times: 1, micros: 0 }] });
  });

  it('is kept again after it was removed, while the file still exists for another event', async () => {
    const spool = await openSpool();
    const [one, other] = [1, 2].map((number): UsageEvent => ({ kind: 'click', id: testDigest(number), claims, at }));
    await spool.add(one!);
    await spool.add(other!);
    await spool.remove([one!]);
    await spool.add(one!);
    expect(spool.waiting()).to.deep.equal([other, one]);
    await spool.remove([other!]);
    expect((await openSpool()).waiting()).to.deep.include(one);
  });

  it('is not forgotten in the file when it is removed while the file is rewritten', async () => {
    const spool = await openEventSpool({ file, log, stale: 1 });
    const [one, other] = [1, 2].map((number): UsageEvent => ({ kind: 'click', id: testDigest(number), claims, at }));
    await spool.add(one!);
    await spool.add(other!);
    const removed = spool.remove([one!]);
    // The draft holds the other event, which is removed before the draft is in place.
    while (!readdirSync(temporary.dataDir).some((name) => name.endsWith('.tmp'))) await nextTurn();
    await Promise.all([removed, spool.remove([other!])]);
    expect(existsSync(file)).to.equal(false);
  });

  it('is not appended to a line that a crash cut off', async () => {
    await (await openSpool()).add({ kind: 'click', id: testDigest(1), claims, at });
    appendFileSync(file, '{"kind":"click","id":"00');
    const spool = await openSpool();
    expect(faults).to.deep.equal([{ file, damaged: 1 }]);
    await spool.add({ kind: 'click', id: testDigest(2), claims, at });
    expect((await openSpool()).waiting().map(({ id }) => id)).to.deep.equal([testDigest(1), testDigest(2)]);
  });

  it('is not too soon after a repeated beacon that cannot be recorded', async () => {
    const ledger = await temporary.open({ busyTimeoutMs: 20 });
    let elapsed = 0;
    const recentImpressions = createRecentImpressions(() => elapsed);
    const spool = await openSpool();
    const start = () => testCountEvent({ requestIds, ledger, windows, spool, recentImpressions });
    let count = start();
    const requestId = requestIds.issue(claims);
    const send = (kind: 'impression' | 'click') => count({ kind, requestId, method: 'GET', headers: {} }, at);
    expect(await send('impression')).to.have.property('counted', true);
    elapsed = 60_000;
    // A new start remembers no recorded events.
    count = start();
    const { free } = locked();
    expect(await send('impression').catch((error: unknown) => error)).to.be.instanceOf(LedgerUnavailableError);
    free();
    elapsed += 100;
    // If the ledger takes longer than a person waits, the click is redirected before it is stored.
    expect(await send('click')).to.satisfy((outcome: object) => !('reason' in outcome) || outcome.reason === 'waiting');
    const events = [0, 450_000].map((price) => ({ at, price_micros: price }));
    await eventually(() => expect(stored().events).to.deep.equal(events));
  });

  it('is not too soon after a repeated beacon', async () => {
    const ledger = await temporary.open();
    const start = () => testCountEvent({ requestIds, ledger, windows, recentImpressions: createRecentImpressions() });
    const requestId = requestIds.issue(claims);
    const fetchOf = (kind: EventKind) => ({ kind, requestId, method: 'GET', headers: {} });
    expect(await start()(fetchOf('impression'), at)).to.have.property('counted', true);
    // A new start remembers no recorded events.
    const count = start();
    expect(await count(fetchOf('impression'), at + 60_000)).to.deep.equal({ counted: false, reason: 'repeated' });
    expect(await count(fetchOf('click'), at + 60_100)).to.have.property('counted', true);
  });

  it('is not too soon after a beacon that is being recorded and turns out to be a repeat', async () => {
    const ledger = await temporary.open({ busyTimeoutMs: 5000 });
    const spool = await openSpool();
    const start = () =>
      testCountEvent({ requestIds, ledger, windows, spool, recentImpressions: createRecentImpressions() });
    let count = start();
    const requestId = requestIds.issue(claims);
    const send = (kind: EventKind, after: number) => count({ kind, requestId, method: 'GET', headers: {} }, at + after);
    expect(await send('impression', 0)).to.have.property('counted', true);
    // A new start remembers no recorded events.
    count = start();
    const { free } = locked();
    const beacon = send('impression', 60_000);
    expect(await send('click', 60_100)).to.deep.equal(waiting);
    free();
    expect(await beacon).to.deep.equal({ counted: false, reason: 'repeated' });
    await eventually(() => expect(existsSync(file)).to.equal(false));
    await ledger.close();
    expect(stored().events).to.deep.equal([
      { at, price_micros: 0 },
      { at: at + 60_100, price_micros: 450_000 },
    ]);
  });

  it('is too soon, once, after a beacon that is being recorded and turns out to be the first', async () => {
    for (const handed of [false, true]) {
      const ledger = await temporary.open({ busyTimeoutMs: handed ? 20 : 5000 });
      const spool = await openSpool();
      const countEvent = testCountEvent({
        requestIds,
        ledger,
        windows,
        spool,
        recentImpressions: createRecentImpressions(),
      });
      const requestId = requestIds.issue(claims);
      const send = (kind: EventKind, after: number) =>
        countEvent({ kind, requestId, method: 'GET', headers: {} }, at + after);
      const { free } = locked();
      const beacon = send('impression', 0).catch((error: unknown) => error);
      expect(await send('click', 499)).to.deep.equal(waiting);
      await (handed ? beacon : undefined);
      free();
      const handing = handed ? handingOver(ledger, spool) : undefined;
      await beacon;
      await eventually(() => expect(existsSync(file)).to.equal(false));
      await handing?.close();
      await ledger.close();
    }
    expect(stored().events).to.deep.equal([
      { at, price_micros: 0 },
      { at, price_micros: 0 },
    ]);
    expect(stored().counters).to.deep.include({ reason: 'too-soon', times: 2, micros: 0 });
  });

  it('keeps lines beside it that the ledger could not store, and hands over the others', async () => {
    const good: UsageEvent = { kind: 'click', id: testDigest(1), claims, at };
    const bad = [
      { ...good, id: testDigest(2), claims: { ...claims, issuedAt: undefined } },
      { ...good, id: testDigest(3), at: 1e17 },
      { ...good, id: testDigest(4), claims: { ...claims, pricing: { model: 'cpc', micros: 1.5 } } },
      { ...good, id: testDigest(5), claims: { ...claims, campaign: 7 } },
    ].map((event) => JSON.stringify(event));
    writeFileSync(file, [...bad, JSON.stringify(good), ''].join('\n'));
    const spool = await openSpool();
    expect(faults).to.deep.equal([{ file, damaged: 4 }]);
    expect(spool.waiting().map(({ id }) => id)).to.deep.equal([good.id]);
    await spool.remove(spool.waiting());
    expect(existsSync(file)).to.equal(false);
    expect(readFileSync(`${file}.damaged`, 'utf8')).to.equal(`${bad.join('\n')}\n`);
  });

  it('is lost if the disk refuses it too, which is logged once', async () => {
    const spool = await openSpool();
    mkdirSync(file);
    const click = (number: number): UsageEvent => ({ kind: 'click', id: testDigest(number), claims, at });
    for (const number of [1, 2]) expect(await spool.add(click(number)).catch(String)).to.contain('EISDIR');
    expect(faults).to.have.length(1);
    rmdirSync(file);
    await spool.add(click(3));
    expect(spool.waiting()).to.have.length(1);
  });

  it('leaves no file that only holds a line cut off by a full disk', async () => {
    for (const rest of ['', '{"kind":"click","id":"00']) {
      writeFileSync(file, rest);
      const spool = await openSpool();
      expect([spool.waiting(), existsSync(file)]).to.deep.equal([[], false]);
    }
    expect(faults).to.deep.equal([{ file, damaged: 1 }]);
  });
});

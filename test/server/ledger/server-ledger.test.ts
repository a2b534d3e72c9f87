import { expect } from 'chai';
import Sqlite from 'better-sqlite3';
import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { ToThread } from '../../../platform/threads/requests.js';
import type { Batch } from '../../../server/ledger/tables/batch.js';
import { LedgerRefusedError } from '../../../server/ledger/tables/ledger-database.js';
import { openFileForWriting } from '../../../server/ledger/sqlite/sqlite-file.js';
import { LedgerUnavailableError, type Outcome, type UsageEvent } from '../../../server/ledger/tables/ledger.js';
import { startLedgerWorker } from '../../../server/ledger/ledger-thread.js';
import type { Claims } from '../../../server/domain/claims.js';
import {
  readLedger,
  rowsOf,
  STORES,
  type TemporaryLedger,
  temporaryLedger,
  temporaryLedgerIn,
} from './temporary-ledger.js';
import { eventually } from '../../support/eventually.js';
import { testClaims, testDigest } from '../../support/test-claims.js';

const at = Date.UTC(2026, 10, 21, 12, 34);
const impression = (number: number, changes: Partial<Claims> = {}): UsageEvent => ({
  kind: 'impression',
  id: testDigest(number),
  claims: testClaims({ issuedAt: at, ...changes }),
  at,
});
const countedOf = (outcomes: readonly Outcome[]): number => outcomes.filter(({ counted }) => counted).length;
const nameOf = (error: unknown): string => (error as Error).name;
const logOf = () => {
  const lines: string[] = [];
  const log = {
    error: ({ err }: { err: Error }, message: string) => void lines.push(`error: ${message}: ${err.message}`),
    info: (message: string) => void lines.push(`info: ${message}`),
  } as unknown as Pick<Logger, 'error' | 'info'>;
  return { lines, log };
};

describe("the ledger's SQLite", () => {
  it('is a version that loses no commit when two processes run checkpoints', () => {
    const version = new Sqlite(':memory:').prepare('select sqlite_version()').pluck().get() as string;
    const [major, minor, patch] = version.split('.').map(Number) as [number, number, number];
    expect(major * 1_000_000 + minor * 1000 + patch, version).to.be.at.least(3_051_003);
  });
});

for (const store of STORES) {
  describe(`ledger in ${store}`, () => {
    let temporary: TemporaryLedger;
    beforeEach(async () => {
      temporary = await temporaryLedgerIn(store);
    });
    afterEach(() => temporary.remove());

    const read = <Row>(text: string): Row[] =>
      readLedger(temporary.location, (database) => rowsOf<Row>(database, text));
    const stored = (): number => read<{ n: number }>('select count(*) as n from events')[0]!.n;

    it('counts a thousand concurrent uses of one request id once, and the others as repeated', async () => {
      const ledger = await temporary.open();
      const outcomes = await Promise.all(Array.from({ length: 1000 }, () => ledger.record(impression(7))));
      expect(countedOf(outcomes)).to.equal(1);
      await ledger.close();
      const sums = read("select reason, times, micros from counters where grain = 'day' order by reason");
      expect(sums).to.deep.equal([
        { reason: '', times: 1, micros: 2500 },
        { reason: 'repeated', times: 999, micros: 0 },
      ]);
    });

    it('counts an event once through two ledgers in the same place', async () => {
      const [one, two] = await Promise.all([temporary.open(), temporary.open()]);
      const outcomes = await Promise.all(
        Array.from({ length: 400 }, (_, use) => (use % 2 === 0 ? one : two).record(impression(use >> 2))),
      );
      expect(countedOf(outcomes)).to.equal(100);
      expect(stored()).to.equal(100);
    });

    it('remembers counted events after a restart', async () => {
      const before = await temporary.open();
      await before.record(impression(1));
      await before.close();
      const after = await temporary.open();
      expect(await after.record(impression(1))).to.deep.equal({ counted: false, reason: 'repeated' });
    });

    it('has an event on disk before it acknowledges it', async () => {
      const ledger = await temporary.open();
      for (let number = 1; number <= 20; number++) {
        await ledger.record(impression(number));
        expect(stored()).to.equal(number);
      }
    });

    it('prices to the micro: an impression at a thousandth of the CPM, a click at the CPC, anything else at nothing', async () => {
      const ledger = await temporary.open();
      const prices: [Claims['pricing'], UsageEvent['kind'], number][] = [
        [{ model: 'cpm', micros: 2_500_000 }, 'impression', 2500],
        [{ model: 'cpm', micros: 1000 }, 'impression', 1],
        [{ model: 'cpm', micros: 1e12 }, 'impression', 1e9],
        [{ model: 'cpm', micros: 2_500_000 }, 'click', 0],
        [{ model: 'cpm', micros: 2_500_000 }, 'view', 0],
        [{ model: 'cpc', micros: 450_001 }, 'click', 450_001],
        [{ model: 'cpc', micros: 1e12 }, 'click', 1e12],
        [{ model: 'cpc', micros: 450_001 }, 'impression', 0],
        [null, 'impression', 0],
        [null, 'click', 0],
      ];
      for (const [number, [pricing, kind, priceMicros]] of prices.entries()) {
        const outcome = await ledger.record({ ...impression(number, { pricing }), kind });
        expect(outcome, `${JSON.stringify(pricing)} ${kind}`).to.deep.equal({ counted: true, priceMicros });
      }
      const total = prices.reduce((sum, [, , price]) => sum + price, 0);
      expect(read('select sum(price_micros) as micros from events')).to.deep.equal([{ micros: total }]);
      expect(read("select sum(micros) as micros from counters where grain = 'day'")).to.deep.equal([{ micros: total }]);
    });

    it('stores a test event once with price 0 and reason test, apart from other events', async () => {
      const ledger = await temporary.open();
      const event = impression(1, { test: true });
      expect(await ledger.record(event)).to.deep.equal({ counted: false, reason: 'test' });
      expect(await ledger.record(event)).to.deep.equal({ counted: false, reason: 'repeated' });
      const rows = read('select price_micros, reason, test from events join dimension_sets using (dimension_set)');
      expect(rows).to.deep.equal([{ price_micros: 0, reason: 'test', test: 1 }]);
    });

    it('writes decisions and ignored events by itself within about a second', async () => {
      const ledger = await temporary.open();
      for (let time = 0; time < 3; time++) {
        ledger.countDecision({
          publisher: 'Garden Chat',
          test: false,
          result: { filled: false, reason: 'sensitive' },
          at,
        });
        ledger.ignore({ kind: 'click', reason: 'invalid', claims: null, at });
      }
      const minutes = () => read("select counted, reason, times from counters where grain = 'minute' order by counted");
      while (minutes().length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
      expect(minutes()).to.deep.equal([
        { counted: 'click', reason: 'invalid', times: 3 },
        { counted: 'decision', reason: 'sensitive', times: 3 },
      ]);
    });

    it('writes a backlog of decisions in commits of limited size, separate from events', async () => {
      const batches: { events: number; counts: number }[] = [];
      const ledger = await temporary.open({
        startWorker: (settings) => {
          const worker = startLedgerWorker(settings);
          const post = worker.postMessage.bind(worker);
          worker.postMessage = (message: ToThread) => {
            if (message !== 'close' && message.task === 'write') {
              const { events, counts } = message.input as Batch;
              batches.push({ events: events.length, counts: counts.length });
            }
            post(message);
          };
          return worker;
        },
      });
      for (let number = 0; number < 12_000; number++) {
        const filled = { filled: true as const, advertiser: 'a', campaign: null, creative: `c${number}` };
        ledger.countDecision({ publisher: 'p', test: false, result: filled, at });
      }
      const waiting = Array.from({ length: 50 }, (_, number) => ledger.record(impression(number)));
      await ledger.close();
      expect(countedOf(await Promise.all(waiting))).to.equal(50);
      expect(batches.filter(({ counts }) => counts > 0)).to.deep.equal([
        { events: 0, counts: 5000 },
        { events: 0, counts: 5000 },
        { events: 0, counts: 2000 },
      ]);
      const [sum] = read<{ n: number }>(
        "select cast(sum(times) as integer) as n from counters where grain = 'day' and counted = 'decision'",
      );
      expect(sum).to.deep.equal({ n: 12_000 });
    });

    it('writes queued events before it closes, and refuses later ones', async () => {
      const ledger = await temporary.open();
      const waiting = Array.from({ length: 500 }, (_, number) => ledger.record(impression(number)));
      ledger.countDecision({ publisher: 'p', test: false, result: { filled: false, reason: 'sensitive' }, at });
      await ledger.close();
      expect(countedOf(await Promise.all(waiting))).to.equal(500);
      expect(stored()).to.equal(500);
      expect(read("select times from counters where grain = 'day' and counted = 'decision'")).to.deep.equal([
        { times: 1 },
      ]);
      expect(await ledger.record(impression(1)).catch(nameOf)).to.equal('LedgerUnavailableError');
    });

    it('refuses events beyond the queue’s limit at once, and counts those in the queue', async () => {
      const ledger = await temporary.open({ maxPendingEvents: 10 });
      const outcomes = await Promise.all(
        Array.from({ length: 15 }, (_, number) => ledger.record(impression(number)).catch(nameOf)),
      );
      expect(outcomes.slice(10)).to.deep.equal(Array.from({ length: 5 }, () => 'LedgerUnavailableError'));
      expect(stored()).to.equal(10);
      expect(await ledger.record(impression(14))).to.have.property('counted', true);
    });

    it('rejects queued events when its thread dies, and counts them through the next thread', async () => {
      const workers: Worker[] = [];
      const ledger = await temporary.open({
        startWorker: (settings) => {
          workers.push(startLedgerWorker(settings));
          return workers.at(-1)!;
        },
      });
      await ledger.record(impression(0));
      ledger.ignore({ kind: 'click', reason: 'invalid', claims: null, at });
      const waiting = Array.from({ length: 2000 }, (_, number) => ledger.record(impression(number + 1)).catch(nameOf));
      await Promise.all([workers[0]!.terminate(), ...waiting]);
      const rejected = (await Promise.all(waiting)).filter((outcome) => typeof outcome === 'string');
      expect(new Set(rejected)).to.deep.equal(new Set(['LedgerUnavailableError']));
      expect(ledger.fault).to.be.instanceOf(Error);
      // Decisions are counted every second, but no event arrives that would show that events can be written again.
      await eventually(() => {
        ledger.countDecision({ publisher: 'p', test: false, result: { filled: false, reason: 'sensitive' }, at });
        expect(ledger.fault).to.equal(null);
      });
      const again = async (): Promise<Outcome> => ledger.record(impression(5000)).catch(() => nextTry().then(again));
      expect(await again()).to.deep.equal({ counted: true, priceMicros: 2500 });
      expect(workers).to.have.length(2);
      const retried = await Promise.all(Array.from({ length: 2001 }, (_, number) => ledger.record(impression(number))));
      expect(retried[0]).to.deep.equal({ counted: false, reason: 'repeated' });
      expect(stored()).to.equal(2002);
      await ledger.close();
      expect(read("select times from counters where grain = 'day' and reason = 'invalid'")).to.deep.equal([
        { times: 1 },
      ]);
    });

    it('has a fault while its thread is replaced, even with nothing to write, and none before and after', async () => {
      const workers: Worker[] = [];
      const ledger = await temporary.open({
        startWorker: (settings) => {
          workers.push(startLedgerWorker(settings));
          return workers.at(-1)!;
        },
      });
      expect(ledger.fault).to.equal(null);
      await workers[0]!.terminate();
      expect(ledger.fault).to.have.property('message', 'the ledger is being opened');
      await eventually(() => expect(ledger.fault).to.equal(null), 20_000);
      expect(await ledger.record(impression(1))).to.deep.equal({ counted: true, priceMicros: 2500 });
      expect(workers.length).to.be.above(1);
    });

    it('refuses another currency or time zone once events exist, and accepts one before that', async () => {
      await (await temporary.open({ currency: 'EUR', timeZone: 'Europe/Berlin' })).close();
      const ledger = await temporary.open({ currency: 'USD', timeZone: 'UTC' });
      await ledger.record(impression(1));
      await ledger.close();
      const refusal = (options: object) =>
        temporary.open(options).then(String, (error: Error) => `${error.name}: ${error.message}`);
      expect(await refusal({ currency: 'EUR' })).to.match(/LedgerRefusedError: CURRENCY is EUR, .* counted in USD/);
      expect(await refusal({ timeZone: 'Asia/Tokyo' })).to.match(
        /LedgerRefusedError: TIME_ZONE is Asia\/Tokyo, .* counted in UTC/,
      );
    });
  });
}

describe('ledger in a file', () => {
  let temporary: TemporaryLedger;
  beforeEach(() => {
    temporary = temporaryLedger();
  });
  afterEach(() => temporary.remove());

  const read = <Row>(text: string): Row[] => readLedger(temporary.location, (database) => rowsOf<Row>(database, text));
  const stored = (): number => read<{ n: number }>('select count(*) as n from events')[0]!.n;

  it('is unavailable while another process locks the file, and counts the same event afterwards', async () => {
    const ledger = await temporary.open({ busyTimeoutMs: 50 });
    const other = new Sqlite(temporary.file);
    other.exec('begin immediate');
    ledger.ignore({ kind: 'click', reason: 'invalid', claims: null, at });
    const refused = await ledger.record(impression(1)).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(LedgerUnavailableError);
    expect((refused as Error).cause).to.have.property('message', 'database is locked');
    expect(ledger.fault).to.be.instanceOf(Error);
    other.exec('rollback');
    other.close();
    expect(await ledger.record(impression(1))).to.deep.equal({ counted: true, priceMicros: 2500 });
    expect(ledger.fault).to.equal(null);
    await ledger.close();
    expect(read("select times from counters where grain = 'day' and reason = 'invalid'")).to.deep.equal([{ times: 1 }]);
  });

  it('is available again soon after the file is, even if no event arrives', async () => {
    const ledger = await temporary.open({ busyTimeoutMs: 20 });
    const other = new Sqlite(temporary.file);
    other.exec('begin immediate');
    await ledger.record(impression(1)).catch(nameOf);
    expect(ledger.fault).to.have.property('message', 'database is locked');
    other.exec('rollback');
    other.close();
    await eventually(() => expect(ledger.fault).to.equal(null));
    expect(stored()).to.equal(0);
  });

  it('logs once that it cannot be written, with the reason, and once that it can again', async () => {
    const { lines, log } = logOf();
    const ledger = await temporary.open({ busyTimeoutMs: 20, log });
    await ledger.record(impression(1));
    const other = new Sqlite(temporary.file);
    other.exec('begin immediate');
    for (const number of [2, 3, 4]) await ledger.record(impression(number)).catch(nameOf);
    other.exec('rollback');
    other.close();
    await eventually(() => expect(ledger.fault).to.equal(null));
    await ledger.record(impression(2));
    expect(lines).to.deep.equal([
      'error: the ledger cannot be written: database is locked',
      'info: the ledger can be written again',
    ]);
  });

  it('states and logs why a new thread cannot open it, even with nothing to write, until one can', async () => {
    const { lines, log } = logOf();
    const workers: Worker[] = [];
    const ledger = await temporary.open({
      log,
      startWorker: (settings) => {
        workers.push(startLedgerWorker(settings));
        return workers.at(-1)!;
      },
    });
    const other = new Sqlite(temporary.file);
    const version = other.pragma('user_version', { simple: true }) as number;
    other.pragma('user_version = 99');
    await workers[0]!.terminate();
    await eventually(() => expect(ledger.fault).to.have.property('message').that.includes('schema version 99'));
    expect(await ledger.record(impression(1)).catch((error: Error) => (error.cause as Error).message)).to.include('99');
    await eventually(() => expect(lines).to.have.length(1));
    other.pragma(`user_version = ${version}`);
    other.close();
    await eventually(() => expect(lines).to.have.length(2), 20_000);
    expect(lines[0]).to.match(/^error: the ledger cannot be written: .*(99|being opened)/);
    expect(lines[1]).to.equal('info: the ledger can be written again');
    expect(ledger.fault).to.equal(null);
  });

  it('waits for the disk at every commit', () => {
    const database = openFileForWriting(temporary.file, 0);
    // 2 is FULL: the log is synchronised before a commit returns.
    expect(database.file.pragma('synchronous', { simple: true })).to.equal(2);
    expect(database.file.pragma('journal_mode', { simple: true })).to.equal('wal');
    database.close();
  });

  it('keeps its thread if reading the spend fails because of a lock', async () => {
    let threads = 0;
    const ledger = await temporary.open({
      startWorker: (settings) => {
        threads++;
        return new Worker(new URL('./busy-reading-child.js', import.meta.url), { workerData: settings });
      },
    });
    const [reading, recorded] = await Promise.allSettled([ledger.spending(at), ledger.record(impression(1))]);
    expect(reading).to.have.nested.property('reason.message', 'database is locked');
    expect(recorded).to.deep.include({ status: 'fulfilled', value: { counted: true, priceMicros: 2500 } });
    expect((await ledger.spending(at)).map(({ total }) => total)).to.deep.equal([2500]);
    expect(threads).to.equal(1);
  });

  it('refuses a file of a newer version, and a file that is not a ledger', async () => {
    await (await temporary.open()).close();
    const database = new Sqlite(temporary.file);
    database.pragma('user_version = 99');
    database.close();
    const refusal = () => temporary.open().catch((error: unknown) => error);
    expect(await refusal())
      .to.be.instanceOf(LedgerRefusedError)
      .with.property('message')
      .that.includes('schema version 99');
    writeFileSync(temporary.file, 'x'.repeat(8192));
    expect(await refusal())
      .to.be.instanceOf(LedgerRefusedError)
      .with.property('message')
      .that.includes('not a database');
  });

  it('queues at most a hundred thousand events by default', async () => {
    const ledger = await temporary.open();
    const waiting = Array.from({ length: 100_001 }, () => ledger.record(impression(1)).catch(nameOf));
    expect(await waiting.at(-1)).to.equal('LedgerUnavailableError');
    expect(await waiting.at(-2)).to.deep.equal({ counted: false, reason: 'repeated' });
  }).timeout(120_000);
});

const nextTry = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

import Sqlite from 'better-sqlite3';
import { expect } from 'chai';
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { backUp } from '../../../../server/ledger/backup/backup.js';
import { openForReading, openForWriting } from '../../../../server/ledger/database.js';
import { restore } from '../../../../server/ledger/backup/restore.js';
import { readLedger, rowsOf, type TemporaryLedger, temporaryLedger } from '../temporary-ledger.js';
import { testClaims, testDigest } from '../../../support/test-claims.js';

const at = Date.UTC(2026, 10, 22);
const settings = { currency: 'USD', timeZone: 'UTC' };

describe('restoring the ledger', () => {
  let temporary: TemporaryLedger;
  let copy: string;
  beforeEach(async () => {
    temporary = temporaryLedger();
    copy = join(temporary.dataDir, 'copy.sqlite');
    await record(1);
    await backUp(temporary.file, copy);
    await record(2);
  });
  afterEach(() => temporary.remove());

  const record = async (number: number): Promise<void> => {
    const ledger = await temporary.open();
    await ledger.record({ kind: 'click', id: testDigest(number), claims: testClaims({ issuedAt: at }), at });
    await ledger.close();
  };
  const events = (file: string): unknown =>
    readLedger({ file }, (database) => rowsOf<{ n: number }>(database, 'select count(*) as n from events')[0]!.n);
  const made = (name: string, make: (database: Sqlite.Database) => unknown): string => {
    const file = join(temporary.dataDir, name);
    const database = new Sqlite(file);
    make(database);
    database.close();
    return file;
  };

  it('refuses a file that is empty, damaged, not a ledger, of a newer release or never opened by a server, and changes nothing', async () => {
    const files = [
      join(temporary.dataDir, 'empty.sqlite'),
      made('no-tables.sqlite', (database) => database.pragma('user_version = 4')),
      made('foreign.sqlite', (database) => database.exec('create table notes (note text); pragma user_version = 1')),
      made('alike.sqlite', (database) =>
        database.exec(
          ['dimension_sets', 'events', 'counters', 'installation', 'billed', 'closed_months', 'spend']
            .map((table) => `create table ${table} (id, name, value);`)
            .join('') +
            "insert into installation values (1, 'currency', 'USD'), (2, 'time_zone', 'UTC'); pragma user_version = 4",
        ),
      ),
      join(temporary.dataDir, 'newer.sqlite'),
      join(temporary.dataDir, 'never.sqlite'),
      join(temporary.dataDir, 'damaged.sqlite'),
    ];
    copyFileSync(copy, files[6]!);
    let page = 0;
    made('damaged.sqlite', (database) => {
      page = Number(database.prepare("select rootpage from sqlite_master where name = 'events'").pluck().get());
    });
    // On a page that holds neither the schema nor the settings.
    writeFileSync(files[6]!, readFileSync(copy).fill(0xff, 4096 * page - 100, 4096 * page));
    writeFileSync(files[0]!, '');
    copyFileSync(copy, files[4]!);
    made('newer.sqlite', (database) => database.pragma('user_version = 999'));
    openForWriting({ file: files[5]! }, 0).close();
    const before = readFileSync(temporary.file);
    for (const file of files) {
      const refusal = await restore(file, temporary.file, settings, at).then(String, (error: Error) => error.message);
      expect(refusal).to.include(`${file} is not a complete ledger`);
    }
    expect(readFileSync(temporary.file).equals(before)).to.equal(true);
    expect(readdirSync(temporary.dataDir).filter((name) => /part|before/.test(name))).to.deep.equal([]);
  });

  it('refuses a ledger with another currency or time zone, and one with a log beside it', async () => {
    const refusal = (from: string, other = settings) =>
      restore(from, temporary.file, other, at).then(String, (error: Error) => `${error.name}: ${error.message}`);
    expect(await refusal(copy, { ...settings, currency: 'EUR' })).to.match(/^BackupError: .*set CURRENCY=USD/);
    expect(await refusal(copy, { ...settings, timeZone: 'Asia/Tokyo' })).to.match(/BackupError: .*TIME_ZONE=UTC/);
    writeFileSync(`${copy}-wal`, 'x');
    expect(await refusal(copy)).to.match(/BackupError: .*a log beside it/);
    expect(events(temporary.file)).to.equal(2);
  });

  it('replaces a damaged ledger, and keeps the old one with its log', async () => {
    writeFileSync(temporary.file, 'x'.repeat(20_000));
    writeFileSync(`${temporary.file}-wal`, 'its log');
    const kept = await restore(copy, temporary.file, settings, at);
    expect(kept).to.equal(`${temporary.file}.before-2026-11-22T00-00-00.000Z`);
    expect(readFileSync(`${kept}-wal`, 'utf8')).to.equal('its log');
    expect(events(temporary.file)).to.equal(1);
    await record(3);
    expect(events(temporary.file)).to.equal(2);
  });

  it('has a ledger in its place at every moment', async () => {
    const flag = new Int32Array(new SharedArrayBuffer(4));
    const watching = watch(temporary.file, flag);
    for (let time = 0; time < 10; time++) await restore(copy, temporary.file, settings, at + time);
    await pause(1);
    Atomics.store(flag, 0, 1);
    expect(await watching).to.equal(0);
  });

  it('creates no new ledger beside one that was put aside or half restored', async () => {
    const kept = await restore(copy, temporary.file, settings, at);
    const refusal = () => temporary.open().then(String, (error: Error) => `${error.name}: ${error.message}`);
    for (const leave of [() => rmSync(temporary.file), () => writeFileSync(temporary.file, '')]) {
      leave();
      expect(await refusal()).to.match(/^LedgerRefusedError: there is no ledger at .*before-2026-11-22/);
      expect(() => openForReading(temporary.location)).to.throw('there is no ledger at');
    }
    rmSync(temporary.file);
    for (const rest of [`${temporary.file}.part`, `${temporary.file}-wal`]) {
      renameSync(existsSync(kept!) ? kept! : `${temporary.file}.part`, rest);
      expect(await refusal()).to.include('LedgerRefusedError');
      expect(existsSync(temporary.file)).to.equal(false);
    }
    await restore(copy, temporary.file, settings, at);
    expect(readdirSync(temporary.dataDir).filter((name) => /part$|sqlite-/.test(name))).to.deep.equal([]);
    expect(events(temporary.file)).to.equal(1);
  });
});

/** Checks continuously, until the flag is set, how often a file is missing. */
function watch(file: string, flag: Int32Array): Promise<number> {
  const look = `
    const { workerData, parentPort } = require('node:worker_threads');
    const { existsSync } = require('node:fs');
    let missed = 0;
    while (Atomics.load(workerData.flag, 0) === 0) if (!existsSync(workerData.file)) missed++;
    parentPort.postMessage(missed);`;
  const worker = new Worker(look, { eval: true, workerData: { file, flag } });
  return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
}

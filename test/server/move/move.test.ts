import { expect } from 'chai';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openCluster } from '../../../platform/cluster/cluster.js';
import { refuseCopy } from '../../../platform/cluster/copy-mark.js';
import { openClient } from '../../../platform/postgres/connection.js';
import { checkInvoices } from '../../../server/invoice/check-invoices.js';
import { checkSums } from '../../../server/ledger/sums/check-sums.js';
import { openForReading, openForWriting } from '../../../server/ledger/database.js';
import { createLedger } from '../../../server/ledger/server-ledger.js';
import { isEqual } from '../../../server/move/compare.js';
import { LEDGER_TABLES } from '../../../server/move/ledger-columns.js';
import type { Move } from '../../../server/move/move.js';
import { moveFromDatabase } from '../../../server/move/move-from-database.js';
import { moveToDatabase } from '../../../server/move/move-to-database.js';
import { DOCUMENTS, LOGS } from '../../../server/move/parts.js';
import { lockDataDirectory } from '../../../server/stores/server-lock.js';
import { testClaims, testDigest } from '../../support/test-claims.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/postgres.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { rowsOf } from '../ledger/temporary-ledger.js';
import { by, contentOf, installation, testInstallation } from './test-installation.js';

describe('a moved installation', function () {
  this.timeout(300_000);
  let database: TemporaryDatabase;
  let dataDir: string;
  let back: string;
  beforeEach(async () => {
    database = await temporaryDatabase();
    dataDir = await testInstallation();
    back = join(temporaryDirectory(), 'back');
  });
  afterEach(async () => {
    await database.drop();
    for (const each of [dataDir, back]) rmSync(dirname(each), { recursive: true });
  });

  type OnStep = (step: string) => void;
  const to = (onStep: OnStep = () => {}, from = dataDir): Promise<Move> =>
    moveToDatabase({ dataDir: from, url: database.url, by, onStep });
  const from = (onStep: OnStep = () => {}, target = back): Promise<Move> =>
    moveFromDatabase({ dataDir: target, url: database.url, by, onStep });
  const differences = ({ compared }: Move): string[] =>
    compared.filter((each) => !isEqual(each)).map(({ what }) => what);
  /** Joins the database as a server does at its start. */
  const node = async (at = temporaryDirectory()): Promise<void> => {
    await (await openCluster({ url: database.url, dataDir: at })).close();
  };
  const count = async (number: number, creative: string): Promise<void> => {
    const ledger = await createLedger({ database: { url: database.url }, ...installation });
    const claims = testClaims({ creative, publisher: 'New Chat', campaign: null });
    const recorded = ledger.record({ kind: 'click', id: testDigest(number), claims, at: Date.now() });
    const outcome = await recorded.finally(() => ledger.close());
    // Numbers below 100 were counted before the move.
    expect(outcome).to.include({ counted: number >= 100 });
  };
  const refused = (moving: Promise<unknown>): Promise<string> =>
    moving.then(
      () => 'nothing was refused',
      (error: Error) => error.message,
    );
  const query = async (sql: string): Promise<void> => {
    const client = await openClient(database.url);
    await client.query(sql).finally(() => client.end());
  };

  it('is unchanged after a move there and back, and records who moved it', async () => {
    const before = contentOf(dataDir);
    const audit = readFileSync(join(dataDir, 'audit.jsonl'), 'utf8');
    const there = await to();
    expect([there.wasFinished, differences(there)]).to.deep.equal([false, []]);
    const again = await from();
    expect([again.wasFinished, differences(again)]).to.deep.equal([false, []]);
    expect(contentOf(back)).to.deep.equal(before);
    const entries = readFileSync(join(back, 'audit.jsonl'), 'utf8');
    expect(entries.startsWith(audit)).to.equal(true);
    const added = entries.slice(audit.length).trim().split('\n');
    expect(added.map((line) => (JSON.parse(line) as { action: string }).action)).to.deep.equal([
      'move to',
      'move from',
    ]);
    expect(entries).to.include(dataDir).and.not.include('adjacent@');
  });

  it('is compared by every document, log, snapshot and table, with counts and sums', async () => {
    const { compared } = await to();
    const what = compared.map((each) => each.what);
    expect(what).to.include.members([
      ...DOCUMENTS,
      ...LOGS,
      'images',
      ...LEDGER_TABLES.map((table) => `ledger: ${table}`),
    ]);
    expect(what.filter((each) => each.startsWith('snapshot '))).to.have.length(2);
    const events = compared.find((each) => each.what === 'ledger: events');
    expect(events?.database).to.match(/^5 rows, price_micros 750000, sha256 [0-9a-f]{64}$/);
    // No part of the test installation is empty, so that every comparison has something to compare.
    expect(compared.filter((each) => each.database === null || each.database.startsWith('0 '))).to.deep.equal([]);
  });

  it('has consistent sums, goes on counting under new numbers, and moves back with what was counted since', async () => {
    await to();
    await count(0, 'mower-1');
    await count(100, 'a new creative');
    const reading = openForReading({ url: database.url });
    expect([...checkSums(reading, 'UTC'), ...checkInvoices(reading, installation)]).to.deep.equal([]);
    expect(rowsOf(reading, 'select count(distinct slot) as slots from counters')).to.deep.equal([{ slots: 2 }]);
    reading.close();
    expect(differences(await from())).to.deep.equal([]);
    const file = openForReading({ file: join(back, 'ledger.sqlite') });
    expect([...checkSums(file, 'UTC'), ...checkInvoices(file, installation)]).to.deep.equal([]);
    const found = "select creative from events join dimension_sets using (dimension_set) where publisher = 'New Chat'";
    expect(rowsOf(file, found)).to.deep.equal([{ creative: 'a new creative' }]);
    file.close();
  });

  it('is served only by nodes afterwards, the first of them on its DATA_DIR', async () => {
    await to();
    expect(() => refuseCopy(dataDir)).to.throw('set DATABASE_URL');
    await node(dataDir);
    await node();
    await from(undefined, dataDir);
    expect(() => refuseCopy(dataDir)).to.not.throw();
    expect(await refused(node())).to.include(`was moved to ${dataDir}`);
  });

  it('is moved back without what an interrupted index run left unshared on the node', async () => {
    await to();
    await node(back);
    for (const folder of ['snapshots/0123456789ab', 'images']) mkdirSync(join(back, folder), { recursive: true });
    writeFileSync(join(back, 'snapshots/0123456789ab/creatives.jsonl'), '');
    writeFileSync(join(back, 'images', `${'0'.repeat(64)}.png`), 'unshared');
    expect(differences(await from())).to.deep.equal([]);
  });

  it('is only compared when it is moved again', async () => {
    await to();
    const again = await to();
    expect([again.wasFinished, differences(again)]).to.deep.equal([true, []]);
    await count(100, 'mower-1');
    const later = await to();
    // If seconds have passed, the ledger's clock differs too.
    expect(later.wasFinished).to.equal(true);
    expect(differences(later)).to.include('ledger: dimension_sets');
    await from();
    const and = await from();
    expect([and.wasFinished, differences(and)]).to.deep.equal([true, []]);
  });

  it('is not complete while any part differs', async () => {
    const meddle = (file: string) => (step: string) => {
      if (step === 'comparing') appendFileSync(file, '\n');
    };
    expect(differences(await to(meddle(join(dataDir, 'keys.json'))))).to.deep.equal(['keys.json']);
    expect(await refused(node())).to.include('is not finished: run npm run move -- --to again');
    expect(() => refuseCopy(dataDir)).to.not.throw();
    expect(differences(await to())).to.deep.equal([]);
    expect(differences(await from(meddle(join(back, 'admin-token'))))).to.deep.equal(['admin-token']);
    expect(() => refuseCopy(back)).to.throw('run npm run move -- --from again');
    expect(differences(await from())).to.deep.equal([]);
  });

  for (const [what, sql] of [
    ['ledger: counters', "update counters set times = times + 1 where grain = 'minute'"],
    ['ledger: dimension_sets', "update dimension_sets set creative = 'ö' where creative = 'ø'"],
    ['ledger: spend', 'delete from spend where day = -1'],
    [
      'images',
      "update shared_chunks set content = content || 'x' where sha256 in (select sha256 from shared_files where path like 'images%')",
    ],
    ['audit.jsonl', "update shared_log_entries set text = replace(text, 'anna', 'otto')"],
    ['decision.json', "update shared_parts set content = '{}' where name = 'decision.json'"],
  ] as const) {
    it(`reports a difference in ${what}`, async () => {
      await to();
      await query(sql);
      expect(differences(await to())).to.include(what);
    });
  }

  it('keeps a log that a crash has damaged readable, and equal in every copy', async () => {
    appendFileSync(join(dataDir, 'snapshot-history.jsonl'), Buffer.from([0xc3, 0, 0, 10, 0x7b]));
    expect(differences(await to())).to.deep.equal([]);
    await from();
    const [one, other] = [dataDir, back].map((each) => readFileSync(join(each, 'snapshot-history.jsonl')));
    expect(one!.equals(other!)).to.equal(true);
  });

  describe('whose move is interrupted', () => {
    const stepsOf = async (move: (onStep: OnStep) => Promise<unknown>): Promise<readonly string[]> => {
      const steps: string[] = [];
      await move((step) => void steps.push(step));
      expect(steps).to.include.members(LEDGER_TABLES.map((table) => `copying the ledger: ${table}`));
      // The ledger is copied in one transaction, so one interruption within it stands for all.
      return steps.filter((step) => !step.includes('ledger:') || step.endsWith('counters'));
    };
    const breakAt =
      (wanted: string): OnStep =>
      (step) => {
        if (step === wanted) throw new Error(`broken off: ${step}`);
      };

    it('at any step there is served only at the old place, and is completed by the next run', async () => {
      const before = contentOf(dataDir);
      const steps = await stepsOf((onStep) => to(onStep));
      expect(steps).to.have.length.above(6);
      for (const step of steps.slice(1)) {
        await query('drop schema adjacent cascade');
        rmSync(join(dataDir, 'copy-of'), { force: true });
        expect(await refused(to(breakAt(step))), step).to.equal(`broken off: ${step}`);
        expect(await refused(node()), step).to.include('is not finished');
        if (step !== steps.at(-1)) refuseCopy(dataDir);
        expect(differences(await to()), step).to.deep.equal([]);
        await node();
      }
      const { files, ledger } = contentOf(dataDir) as { files: Record<string, string>; ledger: unknown };
      delete files['/copy-of'];
      expect({ files, ledger }).to.deep.equal(before);
    });

    it('at any step back is not served without the database, and is completed by the next run', async () => {
      await to();
      const steps = await stepsOf((onStep) => from(onStep));
      expect(steps).to.have.length.above(6);
      const whole = contentOf(back);
      for (const step of steps) {
        await query("delete from shared_parts where name = 'move'");
        rmSync(back, { recursive: true });
        expect(await refused(from(breakAt(step))), step).to.equal(`broken off: ${step}`);
        expect(() => refuseCopy(back), step).to.throw('run npm run move -- --from again');
        if (step === steps.at(-1)) expect(await refused(node())).to.include('was moved to');
        else await node();
        expect(differences(await from()), step).to.deep.equal([]);
        refuseCopy(back);
        expect(await refused(node()), step).to.include('was moved to');
        expect(contentOf(back), step).to.deep.equal(whole);
      }
    });
  });

  describe('refuses a move', () => {
    it('into a database that holds another installation, or a part of one', async () => {
      const other = await testInstallation();
      await to(undefined, other);
      expect(await refused(to())).to.match(/holds another installation \(that of .*\): name an empty database/);
      await query("delete from shared_parts where name = 'move'");
      expect(await refused(to())).to.match(/holds another installation \(keys\.json\)/);
      await query("delete from shared_log_entries; delete from shared_parts where kind <> 'list'");
      expect(await refused(to())).to.match(/holds another installation \(images\//);
      await query('delete from shared_files');
      expect(await refused(to())).to.match(/holds another installation \(installation\)/);
      expect(contentOf(dataDir)).to.not.have.nested.property('files./copy-of');
      rmSync(dirname(other), { recursive: true });
    });

    it('into a database where the move of another installation was interrupted', async () => {
      const other = await testInstallation();
      await refused(
        to((step) => {
          if (step === 'comparing') throw new Error('no');
        }, other),
      );
      expect(await refused(to())).to.include(`holds another installation (that of ${other}`);
      rmSync(dirname(other), { recursive: true });
    });

    it('into a DATA_DIR that holds another installation, or from a database that was moved to another DATA_DIR', async () => {
      await to();
      const other = await testInstallation();
      expect(await refused(from(undefined, other))).to.include('holds an installation of its own (current)');
      await from();
      expect(await refused(from(undefined, join(temporaryDirectory(), 'third')))).to.include(`was moved to ${back}`);
      expect(await refused(to(undefined, back))).to.include('holds another installation');
      rmSync(dirname(other), { recursive: true });
    });

    it('from a place without an installation', async () => {
      const empty = temporaryDirectory();
      expect(await refused(to(undefined, empty))).to.equal(`there is no installation in DATA_DIR ${empty}`);
      expect(await refused(from())).to.equal('there is no installation in the database');
      expect(existsSync(join(back, 'copy-of'))).to.equal(false);
    });

    it('from a node’s copy of a database', async () => {
      await to();
      const other = await temporaryDatabase();
      const moving = moveToDatabase({ dataDir, url: other.url, by });
      expect(await refused(moving)).to.include("is a node's copy of a database: move from that with --from first");
      await other.drop();
    });

    it('while a server runs on either side', async () => {
      const lock = await lockDataDirectory({ dataDir, waitMs: 0, onWait: () => {} });
      expect(await refused(to())).to.include('is in use: stop the server first');
      lock.release();
      await to();
      const ledger = await createLedger({ database: { url: database.url }, ...installation });
      expect(await refused(from())).to.include('in use by 1 server: stop them first');
      await ledger.close();
      expect(existsSync(join(back, 'copy-of'))).to.equal(false);
    });
  });

  it('includes every table of a ledger', () => {
    const ledger = openForWriting({ url: database.url }, 1000);
    const tables = "select table_name as name from information_schema.tables where table_schema = 'adjacent'";
    const names = rowsOf<{ name: string }>(ledger, tables).map(({ name }) => name);
    ledger.close();
    expect(names.filter((name) => name !== 'migrations')).to.have.members(LEDGER_TABLES);
  });
});

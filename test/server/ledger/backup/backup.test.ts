import Sqlite from 'better-sqlite3';
import { expect } from 'chai';
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backUp, backUpDated } from '../../../../server/ledger/backup/backup.js';
import { runLedgerCommand } from '../run-ledger-command.js';
import { temporaryLedger, type TemporaryLedger } from '../temporary-ledger.js';
import { testClaims, testDigest } from '../../../support/test-claims.js';

const at = Date.UTC(2026, 10, 22);

describe('a backup of the ledger', () => {
  let temporary: TemporaryLedger;
  let folder: string;
  beforeEach(async () => {
    temporary = temporaryLedger();
    const ledger = await temporary.open();
    await ledger.record({ kind: 'click', id: testDigest(1), claims: testClaims({ issuedAt: at }), at });
    await ledger.close();
    folder = join(temporary.dataDir, 'copies');
    mkdirSync(folder);
  });
  afterEach(() => temporary.remove());

  const run = (...argv: string[]) => runLedgerCommand(temporary, ...argv);
  const eventsIn = (file: string): unknown => {
    const database = new Sqlite(file, { readonly: true });
    try {
      return database.prepare('select count(*) from events').pluck().get();
    } finally {
      database.close();
    }
  };

  it('in a folder is named by its time, and the oldest ones beyond --keep are deleted', async () => {
    const other = join(folder, 'ledger-by-hand.sqlite');
    writeFileSync(other, 'mine');
    for (const day of ['01', '02', '03']) writeFileSync(join(folder, `ledger-2026-01-${day}T03-00-00.000Z.sqlite`), '');
    const { code, out, err } = await run('backup', folder, '--keep', '3');
    expect([code, err]).to.deep.equal([0, '']);
    expect(out).to.include('deleted: ledger-2026-01-01T03-00-00.000Z.sqlite\n');
    const names = readdirSync(folder).toSorted();
    expect(names.slice(0, 2)).to.deep.equal([
      'ledger-2026-01-02T03-00-00.000Z.sqlite',
      'ledger-2026-01-03T03-00-00.000Z.sqlite',
    ]);
    expect(names[3]).to.equal('ledger-by-hand.sqlite');
    expect(names[2]).to.match(/^ledger-20\d\d-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.sqlite$/);
    expect(eventsIn(join(folder, names[2]!))).to.equal(1);
    expect(statSync(join(folder, names[2]!)).mode & 0o777).to.equal(0o600);
    expect((await run('backup', folder)).code).to.equal(0);
    expect(readdirSync(folder)).to.have.length(5);
  });

  it('is kept even if an older one has a later date', async () => {
    writeFileSync(join(folder, 'ledger-2999-01-01T03-00-00.000Z.sqlite'), '');
    expect((await run('backup', folder, '--keep', '1')).code).to.equal(0);
    const [name, ...others] = readdirSync(folder);
    expect([eventsIn(join(folder, name!)), others]).to.deep.equal([1, []]);
  });

  it('removes what a killed run left behind, but nothing that another run may be writing', async () => {
    const [old, fresh] = ['01', '02'].map((day) => join(folder, `ledger-2026-01-${day}T03-00-00.000Z.sqlite.part`));
    for (const file of [old!, fresh!]) writeFileSync(file, '');
    utimesSync(old!, new Date(at - 86_400_000), new Date(at - 86_400_000));
    await run('backup', folder, '--keep', '1');
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).to.deep.equal([
      'ledger-2026-01-02T03-00-00.000Z.sqlite.part',
    ]);
  });

  it('deletes no older copy and leaves nothing behind if it fails', async () => {
    const older = 'ledger-2026-01-01T03-00-00.000Z.sqlite';
    writeFileSync(join(folder, older), '');
    const foreign = new Sqlite(join(temporary.dataDir, 'foreign.sqlite'));
    foreign.exec('create table events (id); pragma user_version = 4');
    foreign.close();
    for (const content of ['foreign', 'garbage', 'empty']) {
      if (content === 'foreign') await replaceLedger(foreign.name);
      else writeFileSync(temporary.file, content === 'empty' ? '' : 'x'.repeat(9000));
      const dated = await backUpDated(temporary.file, folder, 1, at).then(String, (error: Error) => error.name);
      const single = await backUp(temporary.file, join(folder, 'one.sqlite')).then(
        String,
        (error: Error) => error.name,
      );
      expect([dated, single], content).to.deep.equal(['BackupError', 'BackupError']);
      expect(readdirSync(folder), content).to.deep.equal([older]);
    }
  });

  it('refuses --keep where it has no meaning, and a missing folder', async () => {
    for (const argv of [
      ['backup', folder, '--keep', '0'],
      ['backup', folder, '--keep', 'all'],
      ['backup', join(folder, 'one.sqlite'), '--keep', '2'],
      ['prune', '--keep', '2'],
    ]) {
      expect((await run(...argv)).code, argv.join(' ')).to.equal(2);
    }
    const { code, err } = await run('backup', join(folder, 'nowhere', 'one.sqlite'));
    expect([code, err.includes('there is no folder')]).to.deep.equal([1, true]);
    // A copy under the folder's own name would be in the way of all later ones.
    for (const missing of ['nowhere', 'nowhere/']) {
      const refused = await run('backup', `${folder}/${missing}`);
      expect(refused.code, missing).to.equal(2);
      expect(refused.err).to.include(`there is no folder ${folder}/${missing}; create it`);
    }
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  async function replaceLedger(by: string): Promise<void> {
    const database = new Sqlite(by, { readonly: true });
    await database.backup(temporary.file);
    database.close();
  }
});

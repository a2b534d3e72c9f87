import { expect } from 'chai';
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { lockCatalogue } from '../../../models/snapshot/catalogue-lock.js';
import { eventually } from '../../support/eventually.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('the catalogue lock', () => {
  const dataDir = temporaryDirectory();
  after(() => rmSync(dataDir, { recursive: true }));

  it('has one holder at a time', async () => {
    const first = await lockCatalogue(dataDir, () => {});
    let waited = false;
    let entered = false;
    const second = lockCatalogue(dataDir, () => (waited = true)).then((lock) => {
      entered = true;
      return lock;
    });
    await eventually(() => expect(waited).to.equal(true));
    expect(entered).to.equal(false);
    first.assertHeld();
    await first.release();
    await (await second).release();
  });

  it('creates its directory, or reports why it cannot', async () => {
    const fresh = path.join(dataDir, 'not/there/yet');
    await (await lockCatalogue(fresh, () => {})).release();
    writeFileSync(path.join(dataDir, 'file'), '');
    const taken = path.join(dataDir, 'file/data');
    const failure = await lockCatalogue(taken, () => {}).then(() => 'no failure', String);
    // Since Node 24, the file is only found when it is to be a directory.
    expect(failure.replace('EEXIST', 'ENOTDIR')).to.include(`DATA_DIR ${taken} cannot be created (ENOTDIR)`);
  });

  it('notifies its holder when another process has taken it over', async () => {
    const lock = await lockCatalogue(dataDir, () => {});
    lock.assertHeld();
    // As a process does that takes over a stale lock: the modification time is no longer this process's.
    utimesSync(path.join(dataDir, 'catalogue.lock'), new Date(), new Date(Date.now() - 1000));
    await eventually(() => expect(() => lock.assertHeld()).to.throw('took the catalogue over'), 20_000);
    await lock.release();
  });
});

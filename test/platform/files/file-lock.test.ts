import { expect } from 'chai';
import { mkdirSync, rmSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { lockFile } from '../../../platform/files/file-lock.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('a file lock', function () {
  this.timeout(30_000);
  const folder = temporaryDirectory();
  after(() => rmSync(folder, { recursive: true }));
  const options = { staleMs: 2000, retryMs: () => 50, onCompromised: () => undefined };

  it('is taken from a holder that died while the clock was ahead', async () => {
    const target = path.join(folder, 'keys.json');
    mkdirSync(`${target}.lock`);
    const tomorrow = new Date(Date.now() + 24 * 3_600_000);
    utimesSync(`${target}.lock`, tomorrow, tomorrow);
    const release = await lockFile(target, { ...options, waitMs: 20_000 });
    await release();
  });

  it('is not taken from a holder that lives, however long another waits', async () => {
    const target = path.join(folder, 'campaigns.json');
    const release = await lockFile(target, options);
    let waited = 0;
    const refused = await lockFile(target, { ...options, waitMs: 5000, onWait: () => waited++ }).catch(
      (error: NodeJS.ErrnoException) => error.code,
    );
    expect([refused, waited]).to.deep.equal(['ELOCKED', 1]);
    await release();
    await (
      await lockFile(target, options)
    )();
  });
});

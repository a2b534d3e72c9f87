import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { lockDataDirectory } from '../../../server/stores/server-lock.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const child = fileURLToPath(new URL('locking-child.js', import.meta.url));

describe('the lock of a data directory', () => {
  const lock = (dataDir: string, waitMs = 0, onWait: () => void = () => undefined) =>
    lockDataDirectory({ dataDir, waitMs, onWait });

  it('is held by one server at a time, and is free after it', async () => {
    const dataDir = temporaryDirectory();
    const first = await lock(dataDir);
    const refused = await lock(dataDir).catch((error: Error) => error.message);
    expect(refused).to.include(`another server runs on DATA_DIR ${dataDir}`);
    first.release();
    (await lock(dataDir)).release();
  });

  it('is refused in a directory that cannot be written, which the error names', async () => {
    const dataDir = path.join(temporaryDirectory(), 'absent');
    const refused = await lock(dataDir).catch((error: Error) => error.message);
    expect(refused)
      .to.match(/^DATA_DIR cannot be written: /)
      .and.to.contain(dataDir);
  });

  it('is free as soon as its holder is killed, and a waiting server gets it', async () => {
    const dataDir = temporaryDirectory();
    const holder = spawn(process.execPath, [child, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(holder.stdout, 'data');
    let waited = 0;
    const waiting = lock(dataDir, 30_000, () => void (waited++, holder.kill('SIGKILL')));
    (await waiting).release();
    expect(waited).to.equal(1);
  });
});

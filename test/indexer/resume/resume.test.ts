import { expect } from 'chai';
import { appendFileSync, copyFileSync, existsSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fingerprintOf } from '../../../models/encoder/fingerprint.js';
import { PROFILES, readProfile } from '../../../models/encoder/profile.js';
import { readPointer } from '../../../models/snapshot/pointer.js';
import { feedRows, writeFeed } from '../../support/feed.js';
import { runCommand, startCommand } from '../../support/indexer-command.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const ROWS = 520;

describe('an index run that is killed while it embeds', function () {
  this.timeout(180_000);
  const folder = temporaryDirectory();
  after(() => rmSync(folder, { recursive: true }));

  it('is resumed by the next one, which embeds only the rest and publishes the same snapshot', async () => {
    const dataDir = path.join(folder, 'killed');
    const feed = writeFeed(folder, feedRows(ROWS));
    const profile = readProfile(`${PROFILES.fast}?languages=en`, '');
    const recordBytes = 32 + 4 * profile.dims + 8;
    const directory = path.join(dataDir, 'embedded-so-far');
    const file = path.join(directory, `default.${await fingerprintOf(profile)}`);
    const stored = (): number => Math.floor((statSync(file, { throwIfNoEntry: false })?.size ?? 0) / recordBytes);

    const { child, ended } = startCommand('main', dataDir, feed);
    while (stored() < 200 && child.exitCode === null) await pause(20);
    child.kill('SIGKILL');
    expect((await ended).signal).to.equal('SIGKILL');
    expect(await readPointer(dataDir)).to.deep.equal([]);
    const embedded = stored();
    expect(embedded).to.be.within(200, ROWS);

    // A record that was being written, and the file of an encoder that is no longer in use.
    appendFileSync(file, Buffer.alloc(recordBytes - 1, 7));
    copyFileSync(file, path.join(directory, 'default.0123456789abcdef'));
    expect((await runCommand('snapshots', dataDir)).stdout).to.include('There are no snapshots yet');

    const { code, stdout, stderr } = await runCommand('main', dataDir, feed);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout).to.include(`Resumed: ${embedded} of ${ROWS} already embedded\n`);
    expect(stdout).to.match(
      new RegExp(`^Embedding: ${ROWS - embedded} embedded, 0 reused, ${embedded} resumed \\(`, 'm'),
    );
    expect(existsSync(directory)).to.equal(false);

    const whole = path.join(folder, 'whole');
    await runCommand('main', whole, feed);
    expect(existsSync(path.join(whole, 'embedded-so-far'))).to.equal(false);
    expect((await readPointer(dataDir))[0]).to.equal((await readPointer(whole))[0]);
  });
});

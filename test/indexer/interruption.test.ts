import { expect } from 'chai';
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fingerprintOf } from '../../models/encoder/fingerprint.js';
import { PROFILES, readProfile } from '../../models/encoder/profile.js';
import { loadSnapshot, type LoadedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { readPointer } from '../../models/snapshot/pointer.js';
import { feedRows, writeFeed } from '../support/feed.js';
import { runCommand, runIndexerWithin, startCommand } from '../support/indexer-command.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('an indexer that is interrupted', function () {
  this.timeout(120_000);
  const folder = temporaryDirectory();
  const published = path.join(folder, 'published');
  let feed: string;
  let firstId: string;

  before(async () => {
    await runCommand('main', published, writeFeed(folder, feedRows(40, 'first'), 'first.jsonl'));
    firstId = (await readPointer(published))[0]!;
    feed = writeFeed(folder, feedRows(60, 'second'), 'second.jsonl');
  });
  after(() => rmSync(folder, { recursive: true }));

  const copy = (name: string): string => {
    const dataDir = path.join(folder, name);
    cpSync(published, dataDir, { recursive: true });
    return dataDir;
  };
  const live = async (dataDir: string): Promise<LoadedSnapshot> => {
    const [id] = await readPointer(dataDir);
    const profile = readProfile(`${PROFILES.fast}?languages=en`, '');
    const encoder = { fingerprint: await fingerprintOf(profile), dims: profile.dims };
    return loadSnapshot(path.join(dataDir, 'snapshots', id!), encoder);
  };

  for (const signal of ['SIGKILL', 'SIGINT'] as const) {
    for (const moment of ['Checking', 'Embedding', 'Building', 'Recall', 'Published']) {
      it(`leaves an intact live snapshot after ${signal} at “${moment}”`, async () => {
        const dataDir = copy(`${signal}-${moment}`);
        const { child, ended, prints } = startCommand('main', dataDir, feed);
        await prints(moment);
        child.kill(signal);
        const { stdout } = await ended;
        const { id, creatives } = await live(dataDir);
        // On a busy machine the child may have done more by the time of the signal than this process has read.
        if (!stdout.includes('Recall: ')) expect(id).to.equal(firstId);
        expect(creatives).to.have.length(id === firstId ? 40 : 60);
      });
    }

    it(`leaves an intact live snapshot after ${signal} at random moments`, async () => {
      for (let round = 0; round < 5; round++) {
        const dataDir = copy(`${signal}-${round}`);
        const { child, ended } = startCommand('main', dataDir, feed);
        await pause(Math.random() * 2000);
        child.kill(signal);
        await ended;
        const { id, creatives } = await live(dataDir);
        expect(creatives).to.have.length(id === firstId ? 40 : 60);
      }
    });
  }

  it('does not block the next run, which removes its leftovers and takes over its lock', async () => {
    const dataDir = copy('takeover');
    const { child, ended, prints } = startCommand('main', dataDir, feed);
    await prints('Embedding');
    child.kill('SIGKILL');
    await ended;
    expect(existsSync(path.join(dataDir, 'catalogue.lock'))).to.equal(true);
    const { code } = await runCommand('main', dataDir, feed);
    expect(code).to.equal(0);
    expect((await live(dataDir)).creatives).to.have.length(60);
    expect(readdirSync(path.join(dataDir, 'snapshots')).filter((name) => name.startsWith('.'))).to.deep.equal([]);
  });

  it('exits with 130 and releases the lock immediately on Ctrl-C', async () => {
    const dataDir = copy('ctrl-c');
    const { child, ended, prints } = startCommand('main', dataDir, feed);
    await prints('Checking');
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).to.equal(130);
    expect(stderr).to.include('Interrupted');
    expect(existsSync(path.join(dataDir, 'catalogue.lock'))).to.equal(false);
  });

  it('waits for another indexer, and both publish', async () => {
    const dataDir = copy('two');
    const one = startCommand('main', dataDir, feed);
    await one.prints('Checking');
    one.child.kill('SIGSTOP');
    const two = startCommand('main', dataDir, writeFeed(folder, feedRows(70, 'third'), 'third.jsonl'));
    await two.prints('Waiting for another indexer');
    one.child.kill('SIGCONT');
    expect((await one.ended).code).to.equal(0);
    expect((await two.ended).code).to.equal(0);
    expect((await live(dataDir)).creatives).to.have.length(70);
    expect(await readPointer(dataDir)).to.have.length(3);
  });

  // 60 creatives: at most 32 KiB of rows, 90 KiB of vectors, more than 96 KiB of graph.
  for (const [kibibytes, what] of [
    [1, 'the rows'],
    [64, 'the vectors'],
    [96, 'the graph, whose library does not notice it'],
  ] as const) {
    it(`publishes nothing if the disk fills up while it writes ${what}`, async () => {
      const dataDir = copy(`full-${kibibytes}`);
      const { code, stderr } = await runIndexerWithin(kibibytes, dataDir, feed);
      expect(code).to.equal(1);
      expect(stderr).to.match(/disk (is )?full/);
      expect((await live(dataDir)).id).to.equal(firstId);
      expect(readdirSync(path.join(dataDir, 'snapshots'))).to.deep.equal([firstId]);
    });
  }
});

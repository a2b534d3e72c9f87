import { expect } from 'chai';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readHistory } from '../../../models/snapshot/history.js';
import { listSnapshots } from '../../../models/snapshot/kept-snapshots.js';
import { layoutOf } from '../../../models/snapshot/layout.js';
import { publish, rollback } from '../../../models/snapshot/publish.js';
import { DIMS, publishTestSnapshot } from '../../support/test-snapshot.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('the history of snapshots', () => {
  let dataDir: string;
  let file: string;
  beforeEach(() => {
    dataDir = temporaryDirectory();
    file = layoutOf(dataDir).history;
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const encoder = { fingerprint: 'made', dims: DIMS };
  const day = (number: number) => new Date(`2026-12-0${number}T00:00:00Z`);
  const at = (number: number) => day(number).toISOString();
  const periods = async () =>
    (await readHistory(dataDir)).map(({ id, from, until, how, by }) => [id, from, until, how, by]);
  /** Makes two snapshots and removes pointer and history, so that the history starts empty. */
  const two = async () => {
    const ids = [await publishTestSnapshot(dataDir, 3, 'one'), await publishTestSnapshot(dataDir, 5, 'two')] as const;
    rmSync(file);
    rmSync(layoutOf(dataDir).current);
    return ids;
  };

  it('lists what was live, when, how and by whom, also after a rollback', async () => {
    const [one, second] = await two();
    await publish(dataDir, one, { now: day(1), by: 'anna' });
    await publish(dataDir, second, { now: day(2), by: 'ben as adjacent' });
    await publish(dataDir, second, { now: day(3), by: 'ben' });
    await rollback(dataDir, encoder, undefined, { now: day(4), by: 'dashboard' });
    expect(await periods()).to.deep.equal([
      [one, at(4), null, 'rollback', 'dashboard'],
      [second, at(2), at(4), 'publish', 'ben as adjacent'],
      [one, at(1), at(2), 'publish', 'anna'],
    ]);
    expect((await readHistory(dataDir, 1))[0]).to.include({ name: 'one', creatives: 3, from: at(4), until: null });
    // The snapshot that the rollback left was published all the same.
    expect((await listSnapshots(dataDir)).map(({ id, publishedAt }) => [id, publishedAt])).to.deep.equal([
      [one, at(4)],
      [second, at(2)],
    ]);
  });

  it('is append-only', async () => {
    const [one, second] = await two();
    let before = '';
    for (let round = 1; round < 9; round++) {
      await publish(dataDir, round % 2 === 0 ? one : second, { now: day(round), by: 'anna' });
      const now = readFileSync(file, 'utf8');
      expect(now.slice(0, before.length)).to.equal(before);
      expect(now.trimEnd().split('\n')).to.have.length(round);
      before = now;
    }
    expect(await readHistory(dataDir, 3)).to.have.length(3);
    expect(await readHistory(dataDir)).to.have.length(8);
  });

  it('begins with the publications in an older version’s pointer', async () => {
    const [one, second] = await two();
    writeFileSync(layoutOf(dataDir).current, `${second} ${at(2)}\n${one}\n`);
    const known = [
      [second, at(2), null, null, null],
      [one, null, at(2), null, null],
    ];
    expect(await periods()).to.deep.equal(known);
    await publish(dataDir, one, { now: day(3), by: 'anna' });
    expect((await periods()).slice(0, 2)).to.deep.equal([
      [one, at(3), null, 'publish', 'anna'],
      [second, at(2), at(3), null, null],
    ]);
  });

  it('adds what a run killed after moving the pointer could not record, and skips a line cut short', async () => {
    const [one, second] = await two();
    await publish(dataDir, one, { now: day(1), by: 'anna' });
    appendFileSync(file, '{"at":"2026-12-0');
    writeFileSync(layoutOf(dataDir).current, `${second} ${at(2)}\n${one} ${at(1)}\n`);
    const lost = [
      [second, at(2), null, null, null],
      [one, at(1), at(2), 'publish', 'anna'],
    ];
    expect(await periods()).to.deep.equal(lost);
    await publish(dataDir, one, { now: day(3), by: 'ben' });
    expect(await periods()).to.deep.equal([
      [one, at(3), null, 'publish', 'ben'],
      [second, at(2), at(3), null, null],
      [one, at(1), at(2), 'publish', 'anna'],
    ]);
  });

  it('does not undo a publication when it cannot be written, and reports the error', async () => {
    const [one, second] = await two();
    await publish(dataDir, one, { now: day(1), by: 'anna' });
    const kept = readFileSync(file);
    rmSync(file);
    mkdirSync(file);
    const faults: string[] = [];
    await publish(dataDir, second, { now: day(2), by: 'ben', onHistoryFault: ({ message }) => faults.push(message) });
    expect(faults).to.have.length(1);
    rmSync(file, { recursive: true });
    writeFileSync(file, kept);
    expect((await periods())[0]).to.deep.equal([second, at(2), null, null, null]);
  });
});

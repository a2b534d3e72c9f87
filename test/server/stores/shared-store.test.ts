import { expect } from 'chai';
import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DamagedStoreError } from '../../../server/stores/shared-store.js';
import { watchProcess } from '../../support/child-process.js';
import { eventually } from '../../support/eventually.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { counterStore } from './counter-store.js';

const CHILD = fileURLToPath(new URL('./counting-child.js', import.meta.url));

describe('a shared store', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = temporaryDirectory();
    file = join(folder, 'data', 'counter.json');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const contentOf = (): unknown => JSON.parse(readFileSync(file, 'utf8'));

  it('is empty without a file, and reading creates none', async () => {
    expect(await counterStore(file).read()).to.deep.equal({ count: 0 });
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('writes a change to a file that only its owner can read, and leaves no other file', async () => {
    const result = await counterStore(file).change((counter) => (counter.count = 5));
    expect(result).to.equal(5);
    expect(contentOf()).to.deep.equal({ count: 5 });
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(readdirSync(dirname(file))).to.deep.equal(['counter.json']);
    expect(await counterStore(file).read()).to.deep.equal({ count: 5 });
  });

  it('changes the current content of the file, not what was read earlier', async () => {
    const store = counterStore(file);
    await store.read();
    await counterStore(file).change((counter) => (counter.count = 7));
    await store.change((counter) => counter.count++);
    expect(contentOf()).to.deep.equal({ count: 8 });
  });

  it('does not write a change without an effect', async () => {
    await counterStore(file).change((counter) => (counter.count = 5));
    const before = statSync(file, { bigint: true });
    await counterStore(file).change((counter) => (counter.count = 5));
    const after = statSync(file, { bigint: true });
    expect([after.ino, after.mtimeNs]).to.deep.equal([before.ino, before.mtimeNs]);
  });

  it('leaves the file unchanged when a change throws or produces invalid content, and accepts the next one', async () => {
    const store = counterStore(file);
    await store.change((counter) => (counter.count = 5));
    const refused = store.change((counter) => {
      counter.count = 6;
      throw new Error('not today');
    });
    expect(await refused.catch(String)).to.equal('Error: not today');
    const invalid = store.change((counter) => (counter.count = 0.5));
    expect(await invalid.catch(String)).to.equal('Error: count must be a whole number');
    expect(contentOf()).to.deep.equal({ count: 5 });
    expect(await store.change((counter) => ++counter.count)).to.equal(6);
  });

  it('loses no change when this and two other processes write at once', async () => {
    const children = [1, 2].map(() => watchProcess(spawn(process.execPath, [CHILD, file, '25'])));
    for (let time = 0; time < 25; time++) await counterStore(file).change((counter) => counter.count++);
    for (const { ended } of children) expect(await ended).to.deep.include({ code: 0, stderr: '' });
    expect(contentOf()).to.deep.equal({ count: 75 });
    expect(readdirSync(dirname(file))).to.deep.equal(['counter.json']);
  });

  it('takes over the lock of a process that was killed', async () => {
    const lock = `${file}.lock`;
    mkdirSync(lock, { recursive: true });
    const aWhileAgo = Date.now() / 1000 - 11;
    utimesSync(lock, aWhileAgo, aWhileAgo);
    await counterStore(file).change((counter) => counter.count++);
    expect(readdirSync(dirname(file))).to.deep.equal(['counter.json']);
  });

  it('replaces the file: a process that has the old one open reads its content to the end', async () => {
    await counterStore(file).change((counter) => (counter.count = 5));
    const opened = openSync(file, 'r');
    await counterStore(file).change((counter) => (counter.count = 6));
    expect(JSON.parse(readFileSync(opened, 'utf8'))).to.deep.equal({ count: 5 });
    closeSync(opened);
    expect(contentOf()).to.deep.equal({ count: 6 });
  });

  it('writes nothing if its lock was taken over meanwhile, and leaves the new lock in place', async () => {
    mkdirSync(dirname(file));
    const lock = `${file}.lock`;
    // A read of a named pipe blocks until something is written to it, which simulates a suspended process.
    execFileSync('mkfifo', [file]);
    let pipe = -1;
    try {
      const changing = counterStore(file, 2000)
        .change((counter) => counter.count++)
        .catch((error: unknown) => error);
      // Opening fails until the change reads the pipe; it holds the lock by then. A lock directory that is only being
      // created cannot be distinguished from another process's.
      await eventually(() => (pipe = openSync(file, constants.O_WRONLY | constants.O_NONBLOCK)));
      takeAway(lock);
      await lookedAt();
      writeSync(pipe, '{"count": 1}');
      closeSync(pipe);
      expect(await changing).to.have.property('code', 'ECOMPROMISED');
      expect([statSync(file).isFIFO(), existsSync(lock)]).to.deep.equal([true, true]);
    } finally {
      // A thread that waits for the pipe would keep this process from exiting.
      closeSync(openSync(file, constants.O_RDWR | constants.O_NONBLOCK));
    }
  });

  it('writes nothing if its lock was taken over during the callback before the write', async () => {
    const store = counterStore(file, 2000);
    await store.change((counter) => counter.count++);
    const changing = store.change(
      (counter) => counter.count++,
      async () => {
        takeAway(`${file}.lock`);
        await lookedAt();
      },
    );
    expect(await changing.catch((error: unknown) => error)).to.have.property('code', 'ECOMPROMISED');
    expect(contentOf()).to.deep.equal({ count: 1 });
    expect(existsSync(`${file}.lock`)).to.equal(true);
  });

  it('refuses a damaged file, naming it and the fault, and leaves it unchanged', async () => {
    mkdirSync(dirname(file));
    for (const [text, fault] of [
      ['{"count": 1', 'JSON'],
      ['', 'JSON'],
      ['{"count": "many"}', 'count must be a whole number'],
    ] as const) {
      writeFileSync(file, text);
      for (const use of [() => counterStore(file).read(), () => counterStore(file).change(() => undefined)]) {
        const error = await use().catch((thrown: unknown) => thrown);
        expect(error, text).to.be.instanceOf(DamagedStoreError);
        expect(String(error)).to.include(`${file} cannot be used: `).and.include(fault);
      }
      expect(readFileSync(file, 'utf8')).to.equal(text);
    }
  });
});

/** Replaces the lock, as a process does that takes over the lock of a killed one. */
function takeAway(lock: string): void {
  rmSync(lock, { recursive: true });
  mkdirSync(lock);
  const another = Date.now() / 1000 + 60;
  utimesSync(lock, another, another);
}

/**
 * Waits until the holder of a lock has checked it, which it does every second. The pauses are short, so that the check
 * also runs on a slow machine.
 */
async function lookedAt(): Promise<void> {
  for (let time = 0; time < 25; time++) await pause(100);
}

import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { type FollowedStore, followStore } from '../../../server/stores/followed-store.js';
import { DamagedStoreError } from '../../../server/stores/shared-store.js';
import { watchProcess } from '../../support/child-process.js';
import { eventually } from '../../support/eventually.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { type Counter, counterStore } from './counter-store.js';

const CHILD = fileURLToPath(new URL('./counting-child.js', import.meta.url));
const POLL_MS = 10;

describe('a followed store', () => {
  let folder: string;
  let file: string;
  let changes: Counter[];
  let logged: { level: number; msg: string }[];
  let followed: FollowedStore<Counter> | undefined;
  beforeEach(() => {
    folder = temporaryDirectory();
    file = join(folder, 'counter.json');
    [changes, logged, followed] = [[], [], undefined];
  });
  afterEach(async () => {
    await followed?.close();
    rmSync(folder, { recursive: true });
  });

  const follow = async (store = counterStore(file)): Promise<FollowedStore<Counter>> => {
    const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) });
    const onChange = (counter: Counter): void => void changes.push(structuredClone(counter));
    followed = await followStore({ store, onChange, log, name: 'counter', pollMs: POLL_MS });
    return followed;
  };
  const errors = (): string[] => logged.filter(({ level }) => level === 50).map(({ msg }) => msg);

  it('begins with the file’s content, or empty without a file, and reports no change', async () => {
    expect((await follow()).current).to.deep.equal({ count: 0 });
    await followed!.close();
    await counterStore(file).change((counter) => (counter.count = 3));
    expect((await follow()).current).to.deep.equal({ count: 3 });
    await pause(10 * POLL_MS);
    expect([changes, logged]).to.deep.equal([[], []]);
  });

  it('follows writes by other processes and reports each content that it reads', async () => {
    const store = await follow();
    const child = watchProcess(spawn(process.execPath, [CHILD, file, '5']));
    await eventually(() => expect(store.current).to.deep.equal({ count: 5 }));
    expect((await child.ended).code).to.equal(0);
    expect(changes.at(-1)).to.deep.equal({ count: 5 });
    const counts = changes.map(({ count }) => count);
    expect(counts).to.deep.equal([1, 2, 3, 4, 5].filter((count) => counts.includes(count)));
    expect(logged.map(({ msg }) => msg)).to.deep.equal(changes.map(() => 'counter: changed'));
  });

  it('reports once what was written between its check of the file and its read', async () => {
    const store = counterStore(file);
    const read = store.read.bind(store);
    await follow(store);
    let written = false;
    store.read = async () => {
      if (!written) await counterStore(file).change((counter) => (counter.count = 2));
      written = true;
      return read();
    };
    await counterStore(file).change((counter) => (counter.count = 1));
    await eventually(() => expect(followed!.current).to.deep.equal({ count: 2 }));
    await pause(10 * POLL_MS);
    await counterStore(file).change((counter) => (counter.count = 3));
    await eventually(() => expect(followed!.current).to.deep.equal({ count: 3 }));
    expect(changes).to.deep.equal([{ count: 2 }, { count: 3 }]);
    expect(logged).to.have.length(2);
  });

  it('detects an edit in place that changes neither size nor modification time of the file', async () => {
    writeFileSync(file, '{"count": 1}');
    const { atime, mtime } = statSync(file);
    const store = await follow();
    writeFileSync(file, '{"count": 2}');
    utimesSync(file, atime, mtime);
    await eventually(() => expect(store.current).to.deep.equal({ count: 2 }));
  });

  it('keeps the last content while the file is damaged, logs that once, and follows the repair', async () => {
    await counterStore(file).change((counter) => (counter.count = 3));
    const store = await follow();
    // Written atomically: an edit in place may be read halfway, and then be logged twice.
    writeFileSync(`${file}.edited`, '{"count": ');
    renameSync(`${file}.edited`, file);
    await eventually(() => expect(errors()).to.have.length(1));
    await pause(10 * POLL_MS);
    expect(errors()).to.deep.equal(['counter: the file cannot be read; the last valid content stays in use']);
    expect(store.current).to.deep.equal({ count: 3 });
    writeFileSync(file, '{"count": 4}');
    await eventually(() => expect(store.current).to.deep.equal({ count: 4 }));
    expect(changes).to.deep.equal([{ count: 4 }]);
  });

  it('reads a change at a later poll if no file descriptor was left at the first, and logs that once', async () => {
    await counterStore(file).change((counter) => (counter.count = 3));
    const store = counterStore(file);
    const read = store.read.bind(store);
    let failures = 5;
    store.read = async () => {
      if (failures-- > 0) throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
      return read();
    };
    failures = 0;
    await follow(store);
    failures = 5;
    await counterStore(file).change((counter) => (counter.count = 4));
    await eventually(() => expect(followed!.current).to.deep.equal({ count: 4 }));
    expect(failures).to.equal(-1);
    expect([changes, errors().length]).to.deep.equal([[{ count: 4 }], 1]);
  });

  it('keeps the last content while the file is missing, logs that once, and follows its return', async () => {
    await counterStore(file).change((counter) => (counter.count = 3));
    const store = await follow();
    rmSync(file);
    await eventually(() => expect(errors()).to.have.length(1));
    await pause(10 * POLL_MS);
    expect(errors()).to.deep.equal(['counter: the file is gone; the last valid content stays in use']);
    expect(store.current).to.deep.equal({ count: 3 });
    await counterStore(file).change((counter) => (counter.count = 4));
    await eventually(() => expect(store.current).to.deep.equal({ count: 4 }));
  });

  it('does not start with a damaged file', async () => {
    writeFileSync(file, '{"count": "many"}');
    expect(await follow().catch((error: unknown) => error)).to.be.instanceOf(DamagedStoreError);
  });

  it('stops following once it is closed', async () => {
    const store = await follow();
    await store.close();
    await counterStore(file).change((counter) => counter.count++);
    await pause(10 * POLL_MS);
    expect(store.current).to.deep.equal({ count: 0 });
    expect(changes).to.deep.equal([]);
  });
});

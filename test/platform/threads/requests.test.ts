import { expect } from 'chai';
import { Worker } from 'node:worker_threads';
import { ThreadRequests } from '../../../platform/threads/requests.js';
import type { TestData, TestFailure, TestTasks } from './answering-worker.js';

class TaskFailedError extends Error {}

describe('requests to a thread', () => {
  type Thread = ThreadRequests<TestTasks, { is: 'open' }, TestFailure>;
  const closed = new Int32Array(new SharedArrayBuffer(4));
  let thread: Thread;
  beforeEach(() => {
    closed[0] = 0;
    thread = start();
  });
  afterEach(() => thread.worker.terminate());

  function start(refused: string | null = null): Thread {
    const workerData: TestData = { refused, closed };
    return new ThreadRequests(new Worker(new URL('./answering-worker.js', import.meta.url), { workerData }), {
      ended: 'the test thread ended',
      errorOf: ({ reason }) => new TaskFailedError(reason),
    });
  }
  const errorOf = async (answer: Promise<unknown>): Promise<unknown> =>
    answer.then(
      () => 'answered',
      (error: unknown) => error,
    );

  it('are answered in any order, each with its own result', async () => {
    const order: string[] = [];
    const slow = thread.ask('wait', 50).then((waited) => order.push(`waited ${waited}`));
    const doubled = thread.ask('double', 21).then((result) => order.push(`doubled ${result}`));
    expect(thread.pending).to.equal(2);
    await Promise.all([slow, doubled]);
    expect(order).to.deep.equal(['doubled 42', 'waited 50']);
    expect(thread.pending).to.equal(0);
  });

  it('move the memory named, both ways', async () => {
    const bytes = new Uint8Array(1000);
    const filled = thread.ask('fill', { bytes, value: 7 }, { transfer: [bytes.buffer] });
    expect(bytes.length).to.equal(0);
    expect(await filled).to.deep.equal(new Uint8Array(1000).fill(7));
    expect(await thread.ask('bytesKept', null)).to.equal(0);
  });

  it('fail with the error that the caller makes of the thread’s failure, and not those after', async () => {
    const failed = errorOf(thread.ask('fail', { reason: 'it is late', fatal: false }));
    const doubled = thread.ask('double', 1);
    expect(await failed)
      .to.be.instanceOf(TaskFailedError)
      .with.property('message', 'it is late');
    expect(await doubled).to.equal(2);
    expect(await errorOf(thread.ask('giveFunction', null))).to.be.instanceOf(TaskFailedError);
    expect(thread.hasEnded).to.equal(false);
  });

  it('leave nothing pending if their input cannot be sent', async () => {
    const input = (() => 1) as unknown as number;
    expect(await errorOf(thread.ask('double', input))).to.have.property('name', 'DataCloneError');
    expect(thread.pending).to.equal(0);
  });

  it('are answered before a fatal error ends the thread, and fail with it if they are pending', async () => {
    const pending = errorOf(thread.ask('wait', 60_000));
    const fatal = errorOf(thread.ask('fail', { reason: 'out of memory', fatal: true }));
    expect(await fatal).to.be.instanceOf(TaskFailedError);
    await thread.ended;
    expect(await pending)
      .to.be.instanceOf(Error)
      .with.property('message', 'out of memory');
    expect(await pending).to.not.be.instanceOf(TaskFailedError);
    expect(thread.hasEnded).to.equal(true);
  });

  it('all fail when the thread dies, with its error if it has one, and later ones at once', async () => {
    const waiting = [thread.ask('wait', 60_000), thread.ask('throwLater', 'a bug'), thread.ask('wait', 60_000)];
    for (const error of await Promise.all(waiting.map(errorOf)))
      expect(error).to.be.instanceOf(RangeError).with.property('message', 'a bug');
    expect([thread.pending, thread.hasEnded]).to.deep.equal([0, true]);
    expect(await errorOf(thread.ask('double', 1))).to.have.property('message', 'a bug');

    const other = start();
    expect(await errorOf(other.ask('exit', 3))).to.have.property('message', 'the test thread ended');
    await other.ended;
  });

  it('are all answered before the thread closes', async () => {
    const waiting = thread.ask('wait', 50);
    const doubled = thread.ask('double', 4);
    const failed = errorOf(thread.ask('fail', { reason: 'it is late', fatal: false }));
    let isClosed = false;
    const closing = thread.close().then(() => (isClosed = true));
    expect([await doubled, await waiting]).to.deep.equal([8, 50]);
    expect(await failed).to.be.instanceOf(TaskFailedError);
    expect(isClosed).to.equal(false);
    await closing;
    expect([closed[0], thread.pending, thread.hasEnded]).to.deep.equal([1, 0, true]);
    expect(await errorOf(thread.ask('double', 1))).to.have.property('message', 'the test thread ended');
    await thread.close();
  });

  it('fail with the reason when they are aborted, and their answers are ignored', async () => {
    const gone = new AbortController();
    const { signal } = gone;
    const answered = await thread.ask('double', 1, { signal });
    const waiting = errorOf(thread.ask('wait', 20, { signal }));
    const other = thread.ask('wait', 40);
    gone.abort(new Error('went away'));
    expect(thread.pending).to.equal(1);
    expect(await waiting).to.have.property('message', 'went away');
    expect(await errorOf(thread.ask('double', 2, { signal }))).to.have.property('message', 'went away');
    expect([answered, await other]).to.deep.equal([2, 40]);
  });

  it('can wait until the thread is open, or refuses', async () => {
    expect(await thread.opened()).to.deep.equal({ is: 'open' });
    const refusing = start('no such file');
    expect(await errorOf(refusing.opened()))
      .to.be.instanceOf(TaskFailedError)
      .with.property('message', 'no such file');
    await refusing.ended;
    const ending = start();
    const opened = errorOf(ending.opened());
    await ending.worker.terminate();
    expect(await opened).to.have.property('message', 'the test thread ended');
  });
});

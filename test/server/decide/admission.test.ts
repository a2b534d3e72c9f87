import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { createAdmission, OverloadedError } from '../../../server/decide/admission.js';
import type { Client } from '../../../server/decide/fair-queue.js';

/** A signal that is never aborted. */
const never = () => new AbortController().signal;
const greedy: Client = { key: 'public', site: '203.0.113.1', network: '203.0.113.1' };

describe('admission', () => {
  /** Work that ends when `end` is called. */
  const held = () => {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    return { work: () => ended, end };
  };

  /** Starts one request, and queues as many as one client may queue. */
  const full = () => {
    const admission = createAdmission(1);
    const first = held();
    const begun: string[] = [];
    const outcomes: Promise<string>[] = [admission.run(greedy, never(), first.work).then(() => 'done')];
    const ask = (client: Client, name: string, signal = never()): Promise<string> =>
      admission
        .run(client, signal, async () => void begun.push(name))
        .then(
          () => 'done',
          (error: unknown) => (error instanceof OverloadedError ? 'busy' : String(error)),
        );
    for (let place = 0; !admission.isFull(greedy); place++) outcomes.push(ask(greedy, `greedy ${place}`));
    return { admission, first, begun, outcomes, ask };
  };

  it('runs one request per slot at once, and the others afterwards', async () => {
    const admission = createAdmission(2);
    const work = [held(), held(), held()];
    let running = 0;
    const all = work.map(({ work: until }) => admission.run(greedy, never(), () => (running++, until())));
    await Promise.resolve();
    expect([running, admission.waiting]).to.deep.equal([2, 1]);
    for (const { end } of work) end();
    await Promise.all(all);
    expect([running, admission.waiting]).to.deep.equal([3, 0]);
  });

  it('keeps all slots busy, and no more, while requests are queued', async () => {
    const admission = createAdmission(2);
    let running = 0;
    const seen = new Set<number>();
    const work = async (): Promise<void> => {
      seen.add(++running);
      await pause(1);
      running--;
    };
    for (let round = 0; round < 3; round++) {
      await Promise.all(Array.from({ length: 8 }, () => admission.run(greedy, never(), work)));
    }
    expect([...seen]).to.have.members([1, 2]);
    expect(running).to.equal(0);
  });

  it('refuses a client at once when its own requests fill the queue', async () => {
    const { ask, first, outcomes } = full();
    expect(await ask(greedy, 'one too many')).to.equal('busy');
    first.end();
    expect(new Set(await Promise.all(outcomes))).to.deep.equal(new Set(['done']));
  });

  for (const [what, honest] of [
    ['another key', { ...greedy, key: 'other' }],
    ['another address with the same key', { key: greedy.key, site: '203.0.113.2', network: '203.0.113.2' }],
  ] as const) {
    it(`serves ${what} next, however many requests of one client are queued, and drops the newest of those`, async () => {
      const { admission, ask, first, begun, outcomes } = full();
      expect(admission.isFull(honest)).to.equal(false);
      const answered = ask(honest, 'honest');
      expect(await outcomes.at(-1)).to.equal('busy');
      first.end();
      expect(await answered).to.equal('done');
      expect(begun.indexOf('honest')).to.be.below(2);
      await Promise.all(outcomes);
    });
  }

  it('does not start a request whose client has disconnected', async () => {
    const { ask, first, begun, outcomes } = full();
    const gone = new AbortController();
    const answered = ask({ key: 'other', site: 'x', network: 'x' }, 'gone', gone.signal);
    gone.abort(new Error('went away'));
    expect(await answered).to.equal('Error: went away');
    first.end();
    await Promise.all(outcomes);
    expect(begun).to.not.include('gone');
    expect(await ask(greedy, 'late', gone.signal)).to.equal('Error: went away');
  });

  it('continues after work that fails', async () => {
    const admission = createAdmission(1);
    const fails = admission.run(greedy, never(), () => Promise.reject(new Error('broken'))).catch(String);
    const after = admission.run(greedy, never(), async () => 'fine');
    expect([await fails, await after]).to.deep.equal(['Error: broken', 'fine']);
  });

  it('measures how long requests take by the system clock', async () => {
    const admission = createAdmission(1);
    for (let round = 0; round < 100; round++) await admission.run(greedy, never(), async () => undefined);
    const last = held();
    const all = [admission.run(greedy, never(), last.work)];
    while (!admission.isFull(greedy) && all.length < 1000)
      all.push(admission.run(greedy, never(), async () => undefined));
    last.end();
    await Promise.all(all);
    // The max queue length, since these requests take no time.
    expect(all).to.have.length(1 + 256);
  });

  it('queues fewer requests when they take longer', async () => {
    const placesAfter = async (ms: number): Promise<number> => {
      let now = 0;
      const admission = createAdmission(1, () => now);
      for (let round = 0; round < 100; round++) await admission.run(greedy, never(), async () => void (now += ms));
      const last = held();
      const all = [admission.run(greedy, never(), last.work)];
      while (!admission.isFull(greedy)) all.push(admission.run(greedy, never(), async () => undefined));
      last.end();
      await Promise.all(all);
      return all.length;
    };
    expect(await placesAfter(5)).to.be.within(75, 85);
    expect(await placesAfter(40)).to.be.within(10, 12);
  });
});

import { expect } from 'chai';
import { HOUR } from '../../../platform/time/durations.js';
import { createBooks } from './books.js';
import type { HttpReply, Caller } from './caller.js';
import { createChance } from './chance.js';
import type { TortureControl } from './control.js';
import { startTraffic, type Traffic } from './traffic.js';

describe('a probe of a tortured server', () => {
  let now: number;
  let match: () => HttpReply;
  let traffic: Traffic;
  beforeEach(() => {
    now = Date.UTC(2026, 10, 24, 12);
    let number = 0;
    match = () => {
      const impressionUrl = `http://localhost/beacon?requestId=request-${++number}`;
      return { status: 200, body: JSON.stringify({ id: 'ski-v1', impressionUrl }), ms: 1 };
    };
    const caller: Caller = {
      call: async (path) => (path.endsWith('/match') ? match() : { status: 200, body: '', ms: 1 }),
      close: () => undefined,
    };
    const control: TortureControl = {
      now: () => now,
      settledSince: () => true,
      step: () => undefined,
      killThread: () => undefined,
    };
    traffic = startTraffic({
      keys: [{ publisher: 'Garden Chat', key: 'key', test: false }],
      books: createBooks(),
      chance: createChance(1),
      control,
      lanes: 0,
      server: () => caller,
      diskIsWell: () => true,
      onUnexpected: (what) => expect.fail(what),
    });
  });
  afterEach(() => traffic.end());

  it('requests an ad, then shows it', async () => {
    expect([await traffic.probe(), await traffic.probe()]).to.deep.equal(['unsure', 'counted']);
  });

  for (const [what, hours] of [
    ['an ad whose window has passed', 21],
    ['an ad issued in the future after the clock was set back', -1],
  ] as const) {
    it(`skips ${what} and requests another`, async () => {
      await traffic.probe();
      now += hours * HOUR;
      expect([await traffic.probe(), await traffic.probe()]).to.deep.equal(['unsure', 'counted']);
    });
  }

  it('returns no-catalogue only for the 404 response that says so', async () => {
    for (const [status, message, probed] of [
      [404, 'no matching creative: no catalogue is published yet', 'no-catalogue'],
      [404, 'no matching creative: none is eligible now', 'unsure'],
      [503, 'too many requests at once', 'unsure'],
    ] as const) {
      match = () => ({ status, body: JSON.stringify({ error: message }), ms: 1 });
      expect(await traffic.probe()).to.equal(probed);
    }
  });
});

import { expect } from 'chai';
import { createSessionCaps } from '../../../server/campaigns/session-caps.js';
import { mapEntriesOf } from '../../support/map-entries.js';

const HOUR = 3_600_000;
const cap = { ads: 1, hours: 24 };
const evening = Date.UTC(2026, 10, 21, 23);

describe('frequency caps', () => {
  it('apply across midnight, when the key changes', () => {
    const caps = createSessionCaps();
    caps.recordServed('s', 'c', cap, evening);
    const words = [0, 2, 23.9, 24].map((hours) => caps.isReached('s', 'c', cap, evening + hours * HOUR));
    expect(words).to.deep.equal([true, true, true, false]);
  });

  it('drop a session with its key, one to two days later, however long the cap', () => {
    const caps = createSessionCaps();
    const long = { ads: 1, hours: 720 };
    caps.recordServed('s', 'c', long, evening);
    expect(caps.isReached('s', 'c', long, evening + 24 * HOUR)).to.equal(true);
    expect(caps.isReached('s', 'c', long, evening + 25 * HOUR)).to.equal(false);
    expect(caps.size).to.equal(0);
  });

  it('last no longer than configured when the clock was ahead and is set back', () => {
    const caps = createSessionCaps();
    const ahead = evening + 365 * 24 * HOUR;
    caps.recordServed('s', 'c', { ads: 1, hours: 2 }, ahead);
    const words = [0, 1.9, 2].map((hours) => caps.isReached('s', 'c', { ads: 1, hours: 2 }, evening + hours * HOUR));
    expect(words).to.deep.equal([true, true, false]);
  });

  it('store no session id, and no more moments than their limit', () => {
    const caps = createSessionCaps(100);
    const kept = mapEntriesOf(() => {
      for (let session = 0; session < 1000; session++)
        caps.recordServed(`visitor-${session}`, 'c', cap, evening + session);
    });
    expect(caps.size).to.equal(100);
    expect(caps.isReached('visitor-999', 'c', cap, evening + 1000)).to.equal(true);
    expect(caps.isReached('visitor-0', 'c', cap, evening + 1000)).to.equal(false);
    expect(kept).to.have.length.above(1000).and.to.not.include('visitor-');
  });

  it('visit no session at midnight, however many there are, so as not to block the event loop', () => {
    const caps = createSessionCaps();
    for (let session = 0; session < 1000; session++) caps.recordServed(`s${session}`, 'c', cap, evening);
    const { values, entries, forEach } = Map.prototype;
    const prototype = Map.prototype as unknown as Record<PropertyKey, unknown>;
    let walks = 0;
    const walk = function walk(this: Map<unknown, unknown>) {
      walks++;
      return entries.call(this);
    };
    Object.assign(prototype, { values: walk, entries: walk, forEach: walk, [Symbol.iterator]: walk });
    const reached = [2, 26].map((hours) => caps.isReached('s7', 'c', cap, evening + hours * HOUR));
    Object.assign(prototype, { values, entries, forEach, [Symbol.iterator]: entries });
    expect([walks, reached, caps.size]).to.deep.equal([0, [true, false], 0]);
  });

  it('store no more moments per session than the cap needs', () => {
    const caps = createSessionCaps();
    for (let ad = 0; ad < 50; ad++) caps.recordServed('s', 'c', { ads: 3, hours: 1 }, evening + ad);
    expect(caps.size).to.equal(3);
  });
});

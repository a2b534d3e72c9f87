import { expect } from 'chai';
import { rm } from 'node:fs/promises';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { findFaults } from './faults.js';
import { fuzz, type FuzzOutcome } from './fuzz.js';

describe('a server that gets a few thousand hostile requests', function () {
  this.timeout(240_000);
  const dataDir = temporaryDirectory();
  let outcome: FuzzOutcome;
  before(async () => void (outcome = await fuzz({ requests: 5000, seed: 20_261_122, dataDir })));
  after(() => rm(dataDir, { recursive: true }));

  it('responds with no 5xx but 503 and 501, reveals no internal details, and logs no fault', () => {
    expect(outcome.requests).to.be.at.least(5000);
    for (const status of [200, 400, 401, 404]) expect(outcome.statuses.get(status)).to.be.above(50);
    expect(outcome.faults).to.deep.equal([]);
  });

  it('never blocks the event loop, and does not leak memory', () => {
    expect(outcome.measured).to.have.length.above(1);
    expect(findFaults.inMeasures(outcome.measured)).to.deep.equal([]);
  });

  it('serves honest requests all the while', () => {
    expect(outcome.honestVisits).to.be.at.least(2);
  });
});

describe('a fault of a fuzzed server', () => {
  const answered = (text: string) =>
    findFaults.inAnswer({ text, statuses: [...text.matchAll(/\d{3}/g)].map(Number), ended: true });

  it('is a 5xx status other than 503 and 501', () => {
    expect(answered('HTTP/1.1 500 Internal Server Error')).to.deep.equal(['answered 500']);
    expect(answered('HTTP/1.1 503 Service Unavailable')).to.deep.equal([]);
  });

  it('is a stack in a response, or a connection that never ends', () => {
    const stack = 'HTTP/1.1 400 Bad Request\r\n\r\nError: x\n    at file:///server/main.js:1:1';
    expect(answered(stack)).to.have.length(1);
    expect(findFaults.inAnswer({ text: '', statuses: [], ended: false })).to.have.length(1);
  });

  it('is a log line at level 50, or one that is not a log line', () => {
    expect(findFaults.inLog('{"level":40}\n{"level":50,"msg":"a request failed"}\nTypeError: x\n')).to.have.length(2);
  });

  it('is a blocked event loop, or a heap that grew', () => {
    const calm = { delayMs: 900, busyMs: 20, rssBytes: 4e8, heapBytes: 3e7 };
    expect(findFaults.inMeasures([{ ...calm, busyMs: 300 }, calm, calm])).to.deep.equal([]);
    expect(findFaults.inMeasures([calm, { ...calm, busyMs: 101 }, calm])).to.have.length(1);
    expect(findFaults.inMeasures([calm, calm, { ...calm, heapBytes: 2e8 }])).to.have.length(1);
  });
});

import { expect } from 'chai';
import { meanWait, waitingShare, waitQuantile } from './erlang.js';
import { createDraws } from './simulation/draws.js';
import { createEventQueue } from './simulation/event-queue.js';
import { createStation } from './simulation/station.js';

describe('a queue with several servers', () => {
  it('has the waits of the tables of Erlang’s C', () => {
    expect(waitingShare(1, 0.5)).to.be.closeTo(0.5, 1e-12);
    expect(waitingShare(2, 1)).to.be.closeTo(1 / 3, 1e-12);
    expect(waitingShare(5, 4)).to.be.closeTo(0.5541, 1e-4);
    expect(waitingShare(10, 8)).to.be.closeTo(0.4092, 1e-4);
    expect(waitingShare(3, 3)).to.equal(1);
    // M/M/1: load / (1 - load) services.
    expect(meanWait(1, 0.8, 10)).to.be.closeTo(40, 1e-9);
    expect(meanWait(4, 4, 10)).to.equal(Infinity);
    // M/M/1: the wait is longer than t with probability load · exp(-(1 - load) · t / service).
    expect(waitQuantile(1, 0.8, 10, 0.99)).to.be.closeTo((Math.log(0.8 / 0.01) * 10) / 0.2, 1e-9);
    expect(waitQuantile(20, 2, 10, 0.99)).to.equal(0);
  });

  for (const [servers, load] of [
    [1, 0.5],
    [1, 0.8],
    [4, 3],
    [16, 13],
  ] as const) {
    it(`agrees with the simulation: ${servers} servers, load ${load}`, () => {
      const service = 10;
      const { waits } = simulated(servers, load, service, 400_000);
      expect(mean(waits) / meanWait(servers, load, service)).to.be.closeTo(1, 0.06);
      const waited = waits.filter((wait) => wait > 1e-9).length / waits.length;
      expect(waited / waitingShare(servers, load)).to.be.closeTo(1, 0.03);
      const beyond = waits.filter((wait) => wait > waitQuantile(servers, load, service, 0.99)).length / waits.length;
      expect(beyond).to.be.closeTo(0.01, 0.002);
    });
  }

  it('waits half as long if all services take equally long (Pollaczek and Khinchine)', () => {
    const { waits } = simulated(1, 0.8, 10, 400_000, () => 10);
    expect(mean(waits)).to.be.closeTo(20, 0.8);
  });

  it('is as busy as its load', () => {
    const { worked, ms } = simulated(4, 3, 10, 100_000);
    expect(worked / ms).to.be.closeTo(3, 0.05);
  });
});

function simulated(servers: number, load: number, service: number, count: number, takes?: () => number) {
  const queue = createEventQueue();
  const draws = createDraws(7);
  const station = createStation(queue, servers);
  const waits: number[] = [];
  const arrive = (): void => {
    const begun = queue.now;
    const takesMs = takes?.() ?? draws.exponential(service);
    station.serve(takesMs, () => waits.push(queue.now - begun - takesMs));
    queue.after(draws.exponential(service / load), arrive);
  };
  arrive();
  const ms = (count * service) / load;
  queue.run(ms);
  return { waits, worked: station.worked, ms };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

import { expect } from 'chai';
import { createDraws, fromQuantiles } from './draws.js';
import { type SimulatedDatabase, simulateDatabase } from './database-simulation.js';
import { createEventQueue } from './event-queue.js';
import { createLock } from './locks.js';
import { type SimulatedNode, simulateNode } from './node-simulation.js';

describe('simulated time', () => {
  it('runs actions in order of time, those of one moment in the order of their addition, and none early', () => {
    const queue = createEventQueue();
    const happened: string[] = [];
    const draws = createDraws(3);
    for (let each = 0; each < 200; each++) {
      const at = Math.floor(draws.uniform() * 50);
      queue.after(at, () => happened.push(`${String(queue.now).padStart(2, '0')} ${String(each).padStart(3, '0')}`));
    }
    queue.run(20);
    expect(happened.every((each) => each < '21')).to.equal(true);
    queue.run(100);
    expect(happened).to.have.length(200).and.to.deep.equal(happened.toSorted());
  });
});

describe('draws', () => {
  it('are reproducible and have their means', () => {
    const list = (seed: number) => Array.from({ length: 5 }, createDraws(seed).uniform);
    expect(list(1)).to.deep.equal(list(1)).and.not.to.deep.equal(list(2));
    const draws = createDraws(1);
    for (const mean of [0.2, 3, 40, 400]) {
      const drawn = Array.from({ length: 20_000 }, () => draws.poisson(mean));
      const found = average(drawn);
      expect(found / mean).to.be.closeTo(1, 0.05);
      expect(average(drawn.map((each) => (each - found) ** 2)) / mean).to.be.closeTo(1, 0.06);
    }
    const quantile = fromQuantiles([10, 20, 90], 80);
    expect(average(Array.from({ length: 20_000 }, () => quantile(draws.uniform())))).to.be.closeTo(80, 2);
    expect(fromQuantiles([5], 7)(0.3)).to.equal(7);
  });
});

describe('a lock', () => {
  it('is shared or exclusive, in the order of requests', () => {
    const lock = createLock();
    const granted: string[] = [];
    const take = (name: string, alone: boolean) => lock.take(alone, () => granted.push(name));
    take('a', false);
    take('b', false);
    const giveUp = take('alone', true);
    take('behind', false);
    expect(granted).to.deep.equal(['a', 'b']);
    expect(giveUp()).to.equal(true);
    expect(granted).to.deep.equal(['a', 'b', 'behind']);
    take('last', true);
    for (let each = 0; each < 3; each++) lock.release(false);
    expect(granted.at(-1)).to.equal('last');
    take('after', false);
    expect(granted.at(-1)).to.equal('last');
    lock.release(true);
    expect(granted.at(-1)).to.equal('after');
  });
});

describe('a simulated node', () => {
  const plain: SimulatedNode = {
    workers: 1,
    matchesASecond: 10,
    burstFactor: 1,
    burstSeconds: 0,
    kinds: [{ share: 1, loop: 0, encoder: 50, encoderQuantiles: [50] }],
    events: 0,
    eventLoop: 0,
    seconds: 4000,
    seed: 1,
  };

  it('takes as long as a queue with equal services', () => {
    const { mean, encoderBusy, refused } = simulateNode(plain);
    expect(mean).to.be.closeTo(50 + (0.5 * 50) / (2 * 0.5), 1.5);
    expect(encoderBusy).to.be.closeTo(0.5, 0.02);
    expect(refused).to.be.below(0.001);
  });

  it('refuses excess matches, and serves the rest within the expected wait', () => {
    const { refused, p99, encoderBusy } = simulateNode({ ...plain, matchesASecond: 40, seconds: 1000 });
    expect(refused).to.be.closeTo(0.5, 0.02);
    expect(encoderBusy).to.be.closeTo(1, 0.01);
    expect(p99).to.be.below(700);
  });

  it('waits if the event loop is the bottleneck, including beacons', () => {
    const loop = { ...plain, workers: 8, kinds: [{ share: 1, loop: 10, encoder: 50, encoderQuantiles: [50] }] };
    const free = simulateNode(loop);
    const busy = simulateNode({ ...loop, events: 8, eventLoop: 10 });
    expect(free.loopBusy).to.be.closeTo(0.1, 0.01);
    expect(busy.loopBusy).to.be.closeTo(0.9, 0.02);
    expect(busy.p99).to.be.above(1.5 * free.p99);
  });

  it('has bursts', () => {
    const burst = simulateNode({ ...plain, burstFactor: 3, burstSeconds: 6, seconds: 600 });
    expect(burst.encoderBusy).to.be.closeTo(0.5 * 0.9 + 0.1, 0.05);
    expect(burst.p99).to.be.above(2 * simulateNode({ ...plain, seconds: 600 }).p99);
  });
});

describe('a simulated database', () => {
  const plain: SimulatedDatabase = {
    nodes: 1,
    cores: 4,
    eventsASecond: Infinity,
    callers: 1,
    roundTrip: 1,
    batch: 2,
    event: 0.5,
    sync: 4,
    campaigns: 100,
    budgetShare: 0,
    sharingServers: 16,
    pruneStep: 0,
    seconds: 20,
    seed: 1,
  };

  it('takes two round trips, the work and the log flush for a batch', () => {
    const { eventsASecond, batchesASecond, p50 } = simulateDatabase(plain);
    expect(eventsASecond).to.be.closeTo(1000 / (2 + 2.5 + 4), 1);
    expect(batchesASecond).to.equal(eventsASecond);
    expect(p50).to.be.closeTo(8.5, 0.01);
    const many = simulateDatabase({ ...plain, callers: 100 });
    expect(many.eventsASecond).to.be.closeTo((100 * 1000) / (2 + 2 + 50 + 4), 20);
    expect(many.batchesASecond).to.be.closeTo(many.eventsASecond / 100, 0.1);
  });

  it('shares a log flush among batches', () => {
    const many = simulateDatabase({ ...plain, nodes: 100, cores: 100, batch: 0, event: 0 });
    // A batch waits for at most one flush before its own.
    expect(many.batchesASecond).to.be.above(100 * (1000 / (2 + 8)) - 200);
  });

  it('does no more than its cores can', () => {
    const { eventsASecond, coresBusy, p99 } = simulateDatabase({ ...plain, nodes: 20, cores: 2, callers: 10 });
    expect(coresBusy).to.be.closeTo(2, 0.05);
    expect(eventsASecond).to.be.closeTo((2 * 10 * 1000) / (2 + 5), 60);
    // Little's law: waiting callers = rate × wait.
    expect(p99).to.be.closeTo((200 / eventsASecond) * 1000, 30);
  });

  it('keeps up with arrivals, or shows how the backlog grows', () => {
    const steady = { ...plain, nodes: 8, eventsASecond: 800, event: 1 };
    const enough = simulateDatabase(steady);
    expect(enough.eventsASecond).to.be.closeTo(800, 25);
    expect(enough.waiting).to.be.below(60);
    const short = simulateDatabase({ ...steady, cores: 1, eventsASecond: 1200 });
    expect(short.eventsASecond).to.be.below(1000);
    expect(short.waiting).to.be.above(1.6 * short.waitingHalfWay);
    expect(short.waiting + short.eventsASecond * 20).to.be.closeTo(1200 * 20, 1500);
  });

  it('runs batches one by one with an exclusive account lock, and concurrently with a shared one', () => {
    const budget = { ...plain, nodes: 8, cores: 8, budgetShare: 1, campaigns: 1, callers: 5 };
    const shared = simulateDatabase(budget);
    const alone = simulateDatabase({ ...budget, sharingServers: 0 });
    const hold = 2 + 2.5 + 1 + 4;
    expect(shared.waitingForLocks).to.equal(0);
    expect(alone.batchesASecond).to.be.closeTo(1000 / hold, 3);
    expect(alone.waitingForLocks).to.be.above(0.7);
    expect(shared.batchesASecond).to.be.above(4 * alone.batchesASecond);
  });

  it('deletes old events in one node, beside the batches of all nodes', () => {
    const steady = { ...plain, nodes: 20, eventsASecond: 400 };
    const quiet = simulateDatabase(steady);
    const deleting = simulateDatabase({ ...steady, pruneStep: 60 });
    expect(deleting.coresBusy - quiet.coresBusy).to.be.closeTo(0.06, 0.03);
    // Only the first step of the walk takes the lock exclusively: 70 of 20,000 ms.
    expect(deleting.waitingForLocks).to.be.within(0.0005, 0.0035);
    expect(deleting.p99).to.be.below(1.2 * quiet.p99);
    expect(deleting.eventsASecond).to.be.closeTo(400, 15);
  });

  it('delays the batches of the node that deletes, and of no other', () => {
    const alone = simulateDatabase(plain).eventsASecond;
    const pruneStep = 500 - 5 - 4;
    // Half of each second is a step's five round trips, work and log flush.
    expect(simulateDatabase({ ...plain, pruneStep }).eventsASecond / alone).to.be.closeTo(0.5, 0.03);
    const { eventsASecond } = simulateDatabase({ ...plain, nodes: 4, cores: 8, sync: 0, pruneStep: 495 });
    const expected = simulateDatabase({ ...plain, nodes: 4, cores: 8, sync: 0 }).eventsASecond;
    // The first step blocks all four nodes: half of one of 20 seconds.
    expect(eventsASecond / expected).to.be.closeTo(3.5 / 4 - (0.5 * 3) / 4 / 20, 0.01);
  });

  it('gives up the first step of a walk after 100 ms, and tries again each second', () => {
    // Of so many long batches, one always holds the lock.
    const long = { ...plain, nodes: 40, cores: 100, eventsASecond: 40, batch: 400 };
    const quiet = simulateDatabase(long);
    const trying = simulateDatabase({ ...long, pruneStep: 5000 });
    expect(quiet.waitingForLocks).to.equal(0);
    expect(trying.waitingForLocks).to.be.within(0.002, 0.007);
    expect(trying.p99).to.be.within(quiet.p99, quiet.p99 + 150);
  });
});

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

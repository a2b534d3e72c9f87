import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { planDatabase, PRUNED_A_SECOND } from './database-plan.js';
import { withTables } from './document.js';
import type { Inputs, Workload } from './inputs.js';
import { planScale } from './installations.js';
import { holdsUntil, planInstallation } from './limits.js';
import { matchWork, planNodes, searchTime } from './node-plan.js';
import { FOLDER, readCosts, readInputs } from './read-inputs.js';
import { report } from './report.js';
import { simulatePlannedDatabase, simulatePlannedNode } from './simulate-plan.js';
import { distinctPairs, sumRowsADay } from './sums.js';

const match = (encoder: number) => ({ loop: 2, encoder, encoderQuantiles: [encoder] });
const { machines } = readInputs();
const inputs: Inputs = {
  machines: { ...machines, node: { cores: 8, memoryBytes: 16e9 }, roundTrip: 1 },
  costs: {
    opening: match(50),
    unknown: match(150),
    remembered: match(100),
    filledBytes: 1000,
    noFillBytes: 500,
    beaconBytes: 400,
    eventLoop: 0.1,
    eventThreads: 0.2,
    nodeBytes: 1e9,
    workerBytes: 5e8,
    connections: 3,
    idleNode: 2,
    batch: 1,
    event: 0.1,
    decision: 0.05,
    batchLogBytes: 2000,
    eventLogBytes: 700,
    decisionLogBytes: 1500,
    sync: 5,
    pruneStep: 10,
    eventRowBytes: 150,
    sumRowBytes: 300,
    creativeBytes: 10_000,
    creativeMemoryBytes: 15_000,
    search: 1,
    searchGrowth: 4,
    largeSearch: 0.2,
  },
  workloads: [],
};
const workload: Workload = {
  name: 'made',
  matchesASecond: 1000,
  burstFactor: 1.25,
  burstSeconds: 10,
  peakFactor: 2,
  openingShare: 0.25,
  unknownShare: 0.25,
  fillRate: 0.5,
  impressionRate: 0.8,
  viewRate: 0.5,
  clickRate: 0.01,
  publishers: 20,
  creatives: 4000,
  campaigns: 100,
  budgetShare: 0.5,
  retentionDays: 90,
};
const changed = (change: Partial<Workload>): Workload => ({ ...workload, ...change });

describe('the plan of nodes', () => {
  it('adds up the milliseconds that a match and its beacons take', () => {
    const { encoder, events, loop, threads } = matchWork(inputs.costs, workload);
    expect(encoder).to.equal(0.25 * 50 + 0.25 * 150 + 0.5 * 100);
    expect(events).to.be.closeTo(0.5 * 0.8 * 1.51, 1e-12);
    expect(loop).to.be.closeTo(2 + 1 + 0.1 * events, 1e-12);
    expect(threads).to.be.closeTo(0.2 * events, 1e-12);
  });

  it('scales searches as measured, 4 times from 4,000 to 100,000, while they run on the event loop', () => {
    expect(searchTime(inputs.costs, 4000)).to.equal(1);
    expect(searchTime(inputs.costs, 19_000)).to.be.within(1.9, 2);
    expect(searchTime(inputs.costs, 300)).to.equal(0);
    expect(searchTime(inputs.costs, 20_000)).to.equal(0.2);
    expect(searchTime(inputs.costs, 1_000_000)).to.equal(0.2);
  });

  it('is bound by the scarcest resource', () => {
    const nodes = planNodes(inputs, workload);
    expect(nodes.boundBy).to.equal('encoders');
    // Seven threads at 100 ms a match serve at most 70 matches a second.
    expect(nodes.capacity).to.be.within(0.6 * (70 / 1.25), 70 / 1.25);
    expect(nodes.nodes).to.equal(Math.ceil(1000 / nodes.capacity));
    expect(nodes.memoryBytes).to.equal(1e9 + 6 * 5e8 + 2 * 4000 * 15_000);
    const slowLoop = { ...inputs, costs: { ...inputs.costs, opening: { ...match(50), loop: 100 } } };
    expect(planNodes(slowLoop, workload)).to.include({ boundBy: 'event loop' });
    const slowThread = { ...inputs, costs: { ...inputs.costs, eventThreads: 100 } };
    expect(planNodes(slowThread, workload)).to.include({ boundBy: 'ledger thread' });
  });

  it('needs more nodes for more matches, costlier matches and bursts', () => {
    const { nodes } = planNodes(inputs, workload);
    expect(planNodes(inputs, changed({ matchesASecond: 10_000 })).nodes / nodes).to.be.closeTo(10, 0.5);
    for (const more of [{ unknownShare: 0.5 }, { burstFactor: 2 }]) {
      expect(planNodes(inputs, changed(more)).nodes).to.be.above(nodes);
    }
    expect(planNodes(inputs, changed({ openingShare: 0.5 })).nodes).to.be.below(nodes);
  });
});

describe('the plan of the database', () => {
  const plan = (change: Partial<Workload>, nodes = 20) => planDatabase(inputs, changed(change), nodes);

  it('counts events, batches and their cost', () => {
    const { eventsASecond, meanEventsASecond, coresBusy, connections, batchesASecond, logBytesASecond } = plan({});
    expect(eventsASecond).to.be.closeTo(1000 * 1.25 * 0.604, 1e-6);
    expect(meanEventsASecond).to.be.closeTo(500 * 0.604, 1e-6);
    expect(connections).to.equal(63);
    // 20 idle nodes, of which one deletes old events, a step of 10 ms a second.
    const work = batchesASecond * 1 + eventsASecond * 0.1 + 1250 * 0.05 + 20 * 2 + 10;
    expect(coresBusy).to.be.closeTo(work / 1000, 1e-9);
    expect(logBytesASecond).to.be.closeTo(batchesASecond * 2000 + eventsASecond * 700 + 1250 * 1500, 1e-3);
    // Never more batches than events and flushes, nor more than can follow each other.
    expect(batchesASecond).to.be.below(eventsASecond + 20);
    expect(plan({ matchesASecond: 1e6 }).batchesASecond).to.be.below((20 * 1000) / (1 + 5 + 2) + 20);
  });

  it('keeps events for the retention period, longer if deletion does not keep up, and sums forever', () => {
    const disk = (change: Partial<Workload>, nodes = 20) => plan(change, nodes).diskBytes;
    const [short, long] = [disk({ retentionDays: 90 }), disk({ retentionDays: 180 })];
    const { meanEventsASecond } = plan({});
    const minutes = sumRowsADay(workload, 20, 500 * 86_400).minutesADay;
    const kept = 90 / (1 - meanEventsASecond / PRUNED_A_SECOND);
    expect((long - short) / (kept * (meanEventsASecond * 86_400 * 150 + minutes * 300))).to.be.closeTo(1, 1e-6);
    const slow = changed({ matchesASecond: (PRUNED_A_SECOND * 2 * 0.5) / 0.604 });
    const rows = sumRowsADay(slow, 20, (slow.matchesASecond / 2) * 86_400);
    const twice = 2500 * 86_400 * 180 * 150;
    const expected = twice + (rows.aDay * 365 + rows.minutesADay * 180) * 300;
    expect(planDatabase(inputs, slow, 20).diskBytes / expected).to.be.closeTo(1, 0.001);
    expect(disk({}, 40)).to.be.above(disk({}, 20));
  });

  it('has no lock wait for up to sixteen nodes, or without budgets', () => {
    expect(plan({}, 16).lockedWait).to.equal(0);
    expect(plan({}, 17).lockedWait).to.be.closeTo((17 * (1 + 5 + 1)) / (1 - 755 * 0.0001), 0.01);
    expect(plan({ budgetShare: 0 }, 17).lockedWait).to.equal(0);
  });

  it('draws as many distinct sums as possible, and no more than there are draws', () => {
    expect(distinctPairs(1, 20, 400)).to.be.closeTo(1, 0.01);
    expect(distinctPairs(100, 20, 400)).to.be.within(80, 100);
    expect(distinctPairs(1e9, 20, 400)).to.be.closeTo(8000, 1);
    expect(distinctPairs(5000, 20, 400)).to.be.below(distinctPairs(10_000, 20, 400));
  });
});

describe('what breaks first', () => {
  it('is the limit that the fewest matches a second reach', () => {
    for (const { name, byCatalogue } of planInstallation(inputs, workload).limits) {
      if (byCatalogue) continue;
      const until = holdsUntil(inputs, workload, name);
      const useAt = (matchesASecond: number) =>
        planInstallation(inputs, { ...workload, matchesASecond }).limits.find((limit) => limit.name === name)!.use;
      expect(useAt(until), name).to.be.at.most(1);
      expect(useAt(until * 1.01 + 2), name).to.be.above(1);
    }
    const { breaks } = planScale(inputs, workload);
    const untils = breaks.map(({ until }) => until);
    expect(untils).to.deep.equal(untils.toSorted((one, other) => one - other));
  });

  it('is the pruning rate only at 5,000 events a second, with any number of nodes', () => {
    const slower = { ...inputs, costs: { ...inputs.costs, remembered: match(400) } };
    for (const model of [inputs, slower]) {
      const { limits } = planInstallation(model, workload);
      expect(limits.filter(({ name }) => name === 'pruning rate')).to.have.length(1);
      expect(holdsUntil(model, workload, 'pruning rate') / ((2 * 5000) / 0.604)).to.be.closeTo(1, 0.002);
    }
  });

  it('is never reached by one of several installations, except for settings', () => {
    for (const matchesASecond of [100, 1000, 30_000, 1e6]) {
      const { each, installations, totals } = planScale(inputs, changed({ matchesASecond }));
      const reached = each.limits.filter(
        ({ name, use, byCatalogue }) => use > 1 && !byCatalogue && name !== 'connections',
      );
      expect(reached.map(({ name }) => name)).to.deep.equal([]);
      expect(each.workload.matchesASecond * installations).to.be.closeTo(matchesASecond, 1e-6);
      expect(totals.nodes).to.equal(installations * (each.nodes.nodes + each.nodes.spare));
      expect(totals.aMonth).to.be.closeTo(
        Object.values(totals.parts).reduce((sum, part) => sum + part),
        1e-6,
      );
    }
  });

  it('costs the hourly price of the machines', () => {
    const { prices } = inputs.machines;
    const { totals } = planScale(inputs, workload);
    const node = 8 * prices.coreHour + 16 * prices.memoryGbHour;
    expect(totals.parts.nodes).to.be.closeTo(730 * totals.nodes * node, 1e-6);
    expect(totals.aMillion).to.be.closeTo(totals.aMonth / (500 * 730 * 3600 * 1e-6), 1e-9);
  });
});

describe('the plan, simulated', () => {
  it('waits as planned, and longer with fewer nodes', () => {
    const plan = planInstallation(inputs, workload);
    const [planned, fewer, far] = [1, 0.8, 0.6].map((times) => simulatePlannedNode(inputs, plan, times));
    expect(planned!.refused).to.be.below(0.005);
    // A match of 150 ms, plus the allowed wait.
    expect(planned!.p99).to.be.below(150 + 150 + 50);
    expect(fewer!.waiting).to.be.above(2 * planned!.waiting);
    expect(far!.refused).to.be.above(0.01);
    expect(fewer!.encoderBusy / planned!.encoderBusy).to.be.closeTo(1.25, 0.05);
  });

  it('has as many batches and busy cores as planned', () => {
    const plan = planInstallation(inputs, changed({ matchesASecond: 500 }));
    const { batchesASecond, eventsASecond, coresBusy } = simulatePlannedDatabase(inputs, plan, 8);
    const flushes = plan.nodes.nodes + plan.nodes.spare;
    expect(eventsASecond / plan.database.eventsASecond).to.be.closeTo(1, 0.05);
    expect(batchesASecond / (plan.database.batchesASecond - flushes)).to.be.closeTo(1, 0.1);
    expect(coresBusy / plan.database.coresBusy).to.be.closeTo(1, 0.15);
  });

  it('counts as fast while old events are deleted', () => {
    const plan = planInstallation(inputs, workload);
    const [quiet, deleting] = [false, true].map((deletes) => simulatePlannedDatabase(inputs, plan, 8, deletes));
    expect(deleting!.p99 / quiet!.p99).to.be.closeTo(1, 0.15);
    expect(deleting!.waitingForLocks).to.be.below(quiet!.waitingForLocks + 0.01);
  });
});

describe('the files of the model', () => {
  const UNITS = /^(ms|bytes|ms a second|ms a creative|times|)$/;

  it('state the unit and the source of each cost', () => {
    const { costs, origins } = readCosts();
    expect(Object.keys(costs)).to.have.members(Object.keys(inputs.costs));
    for (const [name, { unit, origin, value }] of Object.entries(costs)) {
      expect(unit, name).to.match(UNITS);
      expect(origins[origin], name).to.have.all.keys('from', 'machine', 'date');
      if (name.endsWith('Bytes')) expect(unit, name).to.equal('bytes');
      expect(typeof value, name).to.equal(typeof (inputs.costs as unknown as Record<string, unknown>)[name]);
    }
    expect(readInputs().workloads.map(({ matchesASecond }) => matchesASecond)).to.deep.equal([
      1000, 100_000, 1_000_000,
    ]);
  });

  it('produce the tables of docs/scale.md', () => {
    const document = readFileSync(path.join(FOLDER, '../../docs/scale.md'), 'utf8');
    const [plan, breaks, ...simulated] = report(readInputs()).split('\n\n');
    expect(document).to.include(`\n\n${plan}\n\n${breaks}\n\n`);
    // Another version of Node may round a logarithm differently, and draw other numbers.
    const names = (text: string): string[] => text.split('\n').map((line) => line.split('|')[1]!);
    for (const table of simulated) for (const name of names(table)) expect(document).to.include(`\n|${name}|`);
  });

  it('change a document only between its marks', () => {
    const document = 'before\n<!-- npm run scale -- --write -->\nold\n<!-- end -->\nbehind\n';
    const written = withTables(document, '| a |');
    expect(written).to.equal('before\n<!-- npm run scale -- --write -->\n\n| a |\n\n<!-- end -->\nbehind\n');
    expect(withTables(written, '| a |')).to.equal(written);
    expect(() => withTables('nothing', '| a |')).to.throw('lacks the marks');
  });
});

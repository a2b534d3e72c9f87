import { expect } from 'chai';
import type { ChildProcess } from 'node:child_process';
import type { Caller } from '../calls/caller.js';
import type { Chance } from '../calls/chance.js';
import type { Probed, Traffic } from '../calls/traffic.js';
import type { OperatorCommands } from '../processes/operator-commands.js';
import type { ServerProcess } from '../processes/processes.js';
import type { FaultName } from './fault-names.js';
import { createKillCycle, type KillCycle, type KillCycleOptions } from './kill-cycle.js';
import type { Fault } from './running-faults.js';

describe('a kill cycle of the server', () => {
  it('accepts a server without a catalogue if the catalogue was damaged before the start', async () => {
    expect(await runWith('damage', ['no-catalogue'])).to.deep.equal({ left: 0, differences: [] });
    expect(await runWith('damage', ['unsure', 'counted'])).to.deep.equal({ left: 0, differences: [] });
  });

  it('waits until events count if the catalogue was not damaged', async () => {
    expect(await runWith('clock', ['no-catalogue', 'counted'])).to.deep.equal({ left: 0, differences: [] });
  });

  it('ages the signing key only after a server has served, since only then a key exists', async () => {
    const serving = [null, caller, caller];
    let aged = 0;
    const cycle = cycleWith({
      chance: { ...certain, happens: (probability) => probability < 0.1 },
      traffic: trafficWith(async () => 'counted'),
      processes: { start: () => serverWith(serving.shift()!), end: async () => undefined },
      ageSigningKey: () => void aged++,
      differs: () => undefined,
    });
    await cycle.run();
    await cycle.run();
    expect(aged).to.equal(0);
    await cycle.run();
    expect(aged).to.equal(1);
  });
});

/** Makes every random event happen. */
const certain: Chance = {
  happens: () => true,
  between: (least) => least,
  whole: (least) => least,
  oneOf: (choices) => choices[0]!,
};
const caller: Caller = { call: async () => null, close: () => undefined };

/**
 * Runs one cycle with a fault before the start, during which the clock is set.
 *
 * @param probes the result of each probe, in order
 */
async function runWith(before: FaultName, probes: Probed[]): Promise<{ left: number; differences: string[] }> {
  const differences: string[] = [];
  const cycle = cycleWith({
    starting: [fault(before)],
    running: [fault('clock')],
    traffic: trafficWith(async () => probes.shift() ?? expect.fail('no further probe expected')),
    processes: { start: () => serverWith(caller), end: async () => undefined },
    differs: (what) => void differences.push(what),
  });
  await cycle.run();
  return { left: probes.length, differences };
}

function cycleWith(
  options: Pick<KillCycleOptions, 'traffic' | 'processes' | 'differs'> & Partial<KillCycleOptions>,
): KillCycle {
  const operatorCommands: OperatorCommands = {
    begin: () => undefined,
    noteFault: () => undefined,
    running: null,
    finish: async () => undefined,
    done: 0,
  };
  return createKillCycle({
    starting: [],
    running: [],
    reconciliation: { waiting: () => [] },
    operatorCommands,
    chance: certain,
    state: { caller: null, ledgerIsWell: true, diskIsWell: true },
    counts: { kills: 0, killsAtStart: 0, faults: new Map() },
    ageSigningKey: () => undefined,
    ...options,
  });
}

function trafficWith(probe: () => Promise<Probed>): Traffic {
  return {
    hold: async () => undefined,
    resume: () => undefined,
    answers: async () => undefined,
    forget: () => undefined,
    probe,
    asked: 0,
    end: async () => undefined,
  };
}

/** @param served its caller; null if it was killed before it served */
function serverWith(served: Caller | null): ServerProcess {
  return {
    child: { pid: 1, kill: () => true } as unknown as ChildProcess,
    ended: Promise.resolve({ code: null, signal: 'SIGKILL', stdout: '', stderr: '' }),
    over: false,
    serving: Promise.resolve(served),
    kill: async () => undefined,
  };
}

function fault(name: FaultName): Fault {
  return { name, ledgerIsWell: true, diskIsWell: true, lastsMs: 0, begin: () => undefined, end: () => undefined };
}

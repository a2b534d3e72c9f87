import { expect } from 'chai';
import type { ChildProcess } from 'node:child_process';
import type { Caller } from '../calls/caller.js';
import type { Chance } from '../calls/chance.js';
import type { Probed, Traffic } from '../calls/traffic.js';
import type { Errands } from '../processes/errands.js';
import type { ServerProcess } from '../processes/processes.js';
import type { FaultName } from './fault-names.js';
import { createLife } from './life.js';
import type { Fault } from './running-faults.js';

describe('a life under torture', () => {
  it('is over for no server without a catalogue, where that was damaged before it started', async () => {
    expect(await live('damage', ['no-catalogue'])).to.deep.equal({ left: 0, differences: [] });
    expect(await live('damage', ['unsure', 'counted'])).to.deep.equal({ left: 0, differences: [] });
  });

  it('looks on for a server that counts, where nothing was', async () => {
    expect(await live('clock', ['no-catalogue', 'counted'])).to.deep.equal({ left: 0, differences: [] });
  });
});

/** One life that a fault precedes, and in which the clock is set. @param probes what comes of each probe, in turn */
async function live(before: FaultName, probes: Probed[]): Promise<{ left: number; differences: string[] }> {
  const differences: string[] = [];
  const caller: Caller = { call: async () => null, close: () => undefined };
  const server: ServerProcess = {
    child: { pid: 1, kill: () => true } as unknown as ChildProcess,
    ended: Promise.resolve({ code: null, signal: 'SIGKILL', stdout: '', stderr: '' }),
    over: false,
    serving: Promise.resolve(caller),
    kill: async () => undefined,
  };
  const traffic: Traffic = {
    hold: async () => undefined,
    resume: () => undefined,
    answers: async () => undefined,
    forget: () => undefined,
    probe: async () => probes.shift() ?? expect.fail('nobody looks on'),
    asked: 0,
    end: async () => undefined,
  };
  const errands: Errands = {
    begin: () => undefined,
    disturb: () => undefined,
    running: null,
    finish: async () => undefined,
    done: 0,
  };
  const chance: Chance = {
    happens: () => true,
    between: (least) => least,
    whole: (least) => least,
    oneOf: (choices) => choices[0]!,
  };
  const fault = (name: FaultName): Fault => ({
    name,
    ledgerIsWell: true,
    diskIsWell: true,
    lastsMs: 0,
    begin: () => undefined,
    end: () => undefined,
  });
  const life = createLife({
    starting: [fault(before)],
    running: [fault('clock')],
    traffic,
    audit: { waiting: () => [] },
    errands,
    processes: { start: () => server, end: async () => undefined },
    chance,
    state: { caller: null, ledgerIsWell: true, diskIsWell: true },
    counts: { kills: 0, killsAtStart: 0, faults: new Map() },
    ageSigningKey: () => undefined,
    differs: (what) => void differences.push(what),
  });
  await life.live();
  return { left: probes.length, differences };
}

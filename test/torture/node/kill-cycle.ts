import { setTimeout as pause } from 'node:timers/promises';
import type { Caller } from '../calls/caller.js';
import type { Chance } from '../calls/chance.js';
import type { OperatorCommands } from '../processes/operator-commands.js';
import type { FaultName } from './fault-names.js';
import { describeEnd, type Processes, type ServerProcess } from '../processes/processes.js';
import type { Fault } from './running-faults.js';
import type { Traffic } from '../calls/traffic.js';
import type { Reconciliation } from '../reconciliation/reconciliation.js';

/** What callers can reach, and whether the ledger and the disk can be written. */
export interface State {
  /** Null if no server serves. */
  caller: Caller | null;
  ledgerIsWell: boolean;
  /** Whether files next to the ledger can be written. */
  diskIsWell: boolean;
}

export interface KillCycleOptions {
  readonly running: readonly Fault[];
  readonly starting: readonly Fault[];
  readonly traffic: Traffic;
  readonly reconciliation: Pick<Reconciliation, 'waiting'>;
  readonly operatorCommands: OperatorCommands;
  readonly processes: Processes;
  readonly chance: Chance;
  readonly state: State;
  readonly counts: { kills: number; killsAtStart: number; readonly faults: Map<FaultName, number> };
  /** Makes the signing key old enough to be replaced at the next start. */
  readonly ageSigningKey: () => void;
  readonly differs: (what: string) => void;
}

/** Maximum time to recover from a fault. */
const RECOVERY_MS = 30_000;
/** Interval between checks for spooled events. */
const LOOK_EVERY_MS = 100;
const ANSWERS_WITHIN_MS = 10_000;

/** Runs the server again and again until it is killed. */
export interface KillCycle {
  /** Runs the server from its start to SIGKILL. */
  run(): Promise<void>;
  /** Runs the server without faults until the ledger has everything that was spooled. */
  settle(): Promise<void>;
}

export function createKillCycle(options: KillCycleOptions): KillCycle {
  const { running, starting, traffic, reconciliation, operatorCommands, processes, chance, state, counts, differs } =
    options;
  const killed = new Set<ServerProcess>();

  const kill = async (server: ServerProcess): Promise<void> => {
    if (operatorCommands.running !== null && chance.happens(0.3)) operatorCommands.running.child.kill('SIGKILL');
    if (server.over) return;
    killed.add(server);
    await server.kill();
    counts.kills++;
  };
  const begin = (fault: Fault, pid: number): void => {
    counts.faults.set(fault.name, (counts.faults.get(fault.name) ?? 0) + 1);
    operatorCommands.noteFault();
    state.ledgerIsWell &&= fault.ledgerIsWell;
    state.diskIsWell &&= fault.diskIsWell;
    fault.begin(pid);
  };
  const isWell = (): void => {
    state.ledgerIsWell = true;
    state.diskIsWell = true;
  };
  const handedOver = async (server: ServerProcess): Promise<void> => {
    const deadline = performance.now() + RECOVERY_MS;
    while (!server.over) {
      const waiting = reconciliation.waiting();
      if (waiting.length === 0) return;
      if (performance.now() > deadline) {
        return differs(`events wait for the ledger, which counts: ${waiting.join(', ')}`);
      }
      await pause(LOOK_EVERY_MS);
    }
  };
  const answers = (count: number): Promise<void> => traffic.answers(count, ANSWERS_WITHIN_MS);

  /** @param standing the fault that began before the server started, if any */
  const serve = async (server: ServerProcess, standing: Fault | null): Promise<void> => {
    traffic.resume();
    if (chance.happens(0.3)) operatorCommands.begin();
    const fault = running.length > 0 && state.ledgerIsWell && chance.happens(0.5) ? chance.oneOf(running) : null;
    await answers(chance.whole(1, 80));
    // A command would write into the damaged file, or lose what it wrote when the file is restored.
    if (fault === null || (fault.name === 'damage' && operatorCommands.running !== null)) return;
    const pid = server.child.pid!;
    begin(fault, pid);
    await pause(chance.between(50, fault.lastsMs));
    const survives = chance.happens(0.5);
    if (!survives) {
      state.caller = null;
      await kill(server);
    }
    fault.end(survives ? pid : null);
    if (survives) await recover(server, fault, standing);
  };
  const recover = async (server: ServerProcess, fault: Fault, standing: Fault | null): Promise<void> => {
    const deadline = performance.now() + RECOVERY_MS;
    while (!server.over) {
      const probed = await traffic.probe();
      // If the catalogue was damaged before the start, the server runs without one: no new event can count until it is
      // restored.
      if (probed === 'counted' || (probed === 'no-catalogue' && standing?.name === 'damage')) break;
      if (performance.now() > deadline) return differs(`after ${fault.name}, nothing is counted any more`);
      await pause(20);
    }
    isWell();
    await handedOver(server);
    await answers(chance.whole(0, 30));
  };

  let hasServed = false;

  return {
    async run() {
      const chosen = starting.length > 0 && chance.happens(0.12) ? chance.oneOf(starting) : null;
      // After a clock jump of weeks, it would be unknown whether a spooled event counts.
      const fault = chosen?.name === 'clock' && reconciliation.waiting().length > 0 ? null : chosen;
      const mayRefuse = fault !== null && fault.name !== 'clock';
      if (fault !== null) {
        await operatorCommands.finish();
        if (fault.name === 'clock') traffic.forget();
        begin(fault, 0);
      }
      // A server killed during its start may have left no key; one that has served has.
      if (!mayRefuse && hasServed && chance.happens(0.08)) options.ageSigningKey();
      const server = processes.start('server/main.js');
      if (fault === null && chance.happens(0.25)) {
        await Promise.race([server.ended, pause(chance.between(0, 1800))]);
        counts.killsAtStart++;
      } else {
        state.caller = await server.serving;
        hasServed ||= state.caller !== null;
        if (state.caller !== null) await serve(server, fault);
        state.caller = null;
      }
      if (server.over && !killed.has(server) && !mayRefuse) differs(await describeEnd('the server', server));
      await kill(server);
      fault?.end(null);
      isWell();
    },
    async settle() {
      const server = processes.start('server/main.js');
      if ((await server.serving) === null) differs(await describeEnd('the server', server));
      await handedOver(server);
      await server.kill();
    },
  };
}

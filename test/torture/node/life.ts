import { setTimeout as pause } from 'node:timers/promises';
import type { Caller } from '../calls/caller.js';
import type { Chance } from '../calls/chance.js';
import type { Errands } from '../processes/errands.js';
import type { FaultName } from './fault-names.js';
import { describeEnd, type Processes, type ServerProcess } from '../processes/processes.js';
import type { Fault } from './running-faults.js';
import type { Traffic } from '../calls/traffic.js';
import type { Audit } from '../audit/audit.js';

/** What callers are told by, and whether the ledger can be written. */
export interface State {
  /** Null: no server serves. */
  caller: Caller | null;
  ledgerIsWell: boolean;
  /** Whether the disk can be written beside the ledger. */
  diskIsWell: boolean;
}

export interface LifeOptions {
  readonly running: readonly Fault[];
  readonly starting: readonly Fault[];
  readonly traffic: Traffic;
  readonly audit: Pick<Audit, 'waiting'>;
  readonly errands: Errands;
  readonly processes: Processes;
  readonly chance: Chance;
  readonly state: State;
  readonly counts: { kills: number; killsAtStart: number; readonly faults: Map<FaultName, number> };
  /** Makes the signing key so old that the next start replaces it. */
  readonly ageSigningKey: () => void;
  readonly differs: (what: string) => void;
}

/** A fault that has passed leaves nothing behind for longer than this. */
const RECOVERY_MS = 30_000;
/** How often it is looked what still waits. */
const LOOK_EVERY_MS = 100;
const ANSWERS_WITHIN_MS = 10_000;

/** One life of the server after the other. */
export interface Life {
  /** From its start to its end by SIGKILL. */
  live(): Promise<void>;
  /** A quiet one, until the ledger has what waited for it. */
  settle(): Promise<void>;
}

export function createLife(options: LifeOptions): Life {
  const { running, starting, traffic, audit, errands, processes, chance, state, counts, differs } = options;
  const killed = new Set<ServerProcess>();

  const kill = async (server: ServerProcess): Promise<void> => {
    if (errands.running !== null && chance.happens(0.3)) errands.running.child.kill('SIGKILL');
    if (server.over) return;
    killed.add(server);
    await server.kill();
    counts.kills++;
  };
  const begin = (fault: Fault, pid: number): void => {
    counts.faults.set(fault.name, (counts.faults.get(fault.name) ?? 0) + 1);
    errands.disturb();
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
      const waiting = audit.waiting();
      if (waiting.length === 0) return;
      if (performance.now() > deadline) {
        return differs(`events wait for the ledger, which counts: ${waiting.join(', ')}`);
      }
      await pause(LOOK_EVERY_MS);
    }
  };
  const answers = (count: number): Promise<void> => traffic.answers(count, ANSWERS_WITHIN_MS);

  /** @param standing what is wrong since before the server started */
  const serve = async (server: ServerProcess, standing: Fault | null): Promise<void> => {
    traffic.resume();
    if (chance.happens(0.3)) errands.begin();
    const fault = running.length > 0 && state.ledgerIsWell && chance.happens(0.5) ? chance.oneOf(running) : null;
    await answers(chance.whole(1, 80));
    // A command would write into the damaged file, or lose what it wrote when it is mended.
    if (fault === null || (fault.name === 'damage' && errands.running !== null)) return;
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
      // A server serves without its catalogue where that was damaged before: nothing new can be counted until it is mended.
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
    async live() {
      const chosen = starting.length > 0 && chance.happens(0.12) ? chance.oneOf(starting) : null;
      // Nobody would know for weeks whether an event that waits counts.
      const fault = chosen?.name === 'clock' && audit.waiting().length > 0 ? null : chosen;
      const mayRefuse = fault !== null && fault.name !== 'clock';
      if (fault !== null) {
        await errands.finish();
        if (fault.name === 'clock') traffic.forget();
        begin(fault, 0);
      }
      // A server that was killed as it began may have left no key; one that has served left one.
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

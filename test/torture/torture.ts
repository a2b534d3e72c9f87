import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { LEDGER_FILE } from '../../server/ledger/database.js';
import type { TortureArguments } from './arguments.js';
import { createAudit } from './audit.js';
import { createBooks } from './books.js';
import type { Caller } from './caller.js';
import { writeFeed } from './catalogue.js';
import { createChance } from './chance.js';
import { createWorld } from './control.js';
import { makeDisk } from './disk.js';
import { ageSigningKey, createErrands } from './errands.js';

import { createLimits } from './limits.js';
import { prepare } from './prepare.js';
import { createProcesses, type ServerProcess } from './processes.js';
import { runningFaults, type Fault } from './running-faults.js';
import { startingFaults } from './starting-faults.js';
import type { Tortured } from './tortured.js';
import { startTraffic } from './traffic.js';

const MAIN = 'server/main.js';
const MOST_DIFFERENCES = 20;
/** A fault that has passed leaves nothing behind for longer than this. */
const RECOVERY_MS = 30_000;
const WHOLE_AUDIT_EVERY = 25;

/** Kills, and lets fail, one installation until the arguments, or a signal, say that it is enough. */
export async function torture(
  wanted: TortureArguments,
  progress: (line: string) => void,
  enough?: AbortSignal,
): Promise<Tortured> {
  const workDir = mkdtempSync(join(wanted.workDir ?? tmpdir(), 'adjacent-torture-'));
  const disk = makeDisk(workDir);
  const { dataDir } = disk;
  const chance = createChance(wanted.seed);
  const world = createWorld(join(workDir, 'control.json'));
  const processes = createProcesses(dataDir, join(workDir, 'control.json'));
  const [books, limits] = [createBooks(), createLimits()];
  const audit = createAudit({ file: join(dataDir, LEDGER_FILE), books, limits });
  const counts = { kills: 0, killsAtStart: 0, audits: 0 };
  const faults = new Map<string, number>();
  const differences: string[] = [];
  let caller: Caller | null = null;
  let ledgerIsWell = true;
  const differs = (what: string): void => {
    differences.push(`after ${counts.kills} kills: ${what}`);
    progress(differences.at(-1)!);
  };

  const keys = await prepare(processes, writeFeed(workDir, 1));
  const errands = createErrands({ dataDir, workDir, processes, limits, seen: audit.seen, chance, onFault: differs });
  const traffic = startTraffic({
    keys,
    books,
    chance,
    world,
    server: () => caller,
    ledgerIsWell: () => ledgerIsWell,
    onUnexpected: differs,
  });
  const among = (all: readonly Fault[]): readonly Fault[] => all.filter(({ name }) => wanted.faults.includes(name));
  const [running, starting] = [runningFaults, startingFaults].map((make) => among(make({ disk, world, chance })));

  const compare = (whole: boolean): void => {
    counts.audits++;
    for (const difference of audit.differences(whole)) differs(difference);
  };
  const kill = async (server: ServerProcess): Promise<void> => {
    if (errands.running !== null && chance.happens(0.3)) errands.running.child.kill('SIGKILL');
    if (server.over) return;
    await server.kill();
    counts.kills++;
  };
  const begin = (fault: Fault, pid: number): void => {
    faults.set(fault.name, (faults.get(fault.name) ?? 0) + 1);
    errands.disturb();
    ledgerIsWell &&= fault.ledgerIsWell;
    fault.begin(pid);
  };

  /** One life of the server, from its start to its end. */
  const live = async (): Promise<void> => {
    const before = starting!.length > 0 && chance.happens(0.12) ? chance.oneOf(starting!) : null;
    if (before !== null) {
      await errands.finish();
      if (before.name === 'clock') traffic.forget();
      begin(before, 0);
    }
    if (chance.happens(0.08) && before?.name !== 'damage' && before?.name !== 'read-only')
      ageSigningKey(dataDir, world);
    const server = processes.start(MAIN);
    if (before === null && chance.happens(0.25)) {
      await Promise.race([server.ended, pause(chance.between(0, 1800))]);
      if (server.over) differs(`the server ended by itself: ${(await server.ended).stderr.slice(-400)}`);
      counts.killsAtStart++;
      return kill(server);
    }
    caller = await server.serving;
    if (caller === null && (before === null || before.name === 'clock')) {
      differs(`the server does not start: ${(await server.ended).stderr.slice(-400)}`);
    }
    if (caller !== null) await serve(server);
    caller = null;
    await kill(server);
    before?.end(null);
    ledgerIsWell = true;
  };

  /** What happens while it serves. */
  const serve = async (server: ServerProcess): Promise<void> => {
    traffic.resume();
    if (chance.happens(0.3)) errands.begin();
    const fault = running!.length > 0 && ledgerIsWell && chance.happens(0.5) ? chance.oneOf(running!) : null;
    await pause(chance.between(100, 900));
    if (fault === null || (fault.name === 'damage' && errands.running !== null)) return;
    const pid = server.child.pid!;
    begin(fault, pid);
    await pause(chance.between(50, fault.lastsMs));
    const survives = chance.happens(0.5);
    if (!survives) {
      caller = null;
      await kill(server);
    }
    fault.end(survives ? pid : null);
    if (!survives) return;
    const deadline = performance.now() + RECOVERY_MS;
    while (!server.over && !(await traffic.probe())) {
      if (performance.now() > deadline) return differs(`after ${fault.name}, nothing is counted any more`);
      await pause(20);
    }
    ledgerIsWell = true;
    await pause(chance.between(0, 300));
  };

  const until = wanted.minutes === 0 ? Infinity : performance.now() + wanted.minutes * 60_000;
  try {
    const isOver = (): boolean => counts.kills >= wanted.kills || performance.now() > until || enough?.aborted === true;
    while (!isOver() && differences.length < MOST_DIFFERENCES) {
      const before = counts.kills;
      await live();
      await traffic.hold();
      const killed = counts.kills > before;
      compare(killed && counts.kills % WHOLE_AUDIT_EVERY === 0);
      if (killed && counts.kills % 10 === 0) progress(`${counts.kills} kills, ${audit.seen.since(0).times} events`);
    }
    await errands.finish();
    compare(true);
  } finally {
    await traffic.end();
    await processes.end();
  }
  const { since, micros } = audit.seen;
  const results = { stored: since(0).times, micros: micros(), told: books.tally, asked: traffic.asked };
  const kept = differences.length > 0 ? workDir : null;
  if (kept === null) {
    disk.remove();
    rmSync(workDir, { recursive: true });
  }
  return { ...counts, ...results, faults, commands: errands.done, disk: disk.manner, differences, kept };
}

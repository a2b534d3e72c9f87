import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LEDGER_FILE } from '../../../server/ledger/database.js';
import { createReconciliation } from '../reconciliation/reconciliation.js';
import { createBooks } from '../calls/books.js';
import { writeFeed } from '../calls/catalogue.js';
import { createChance } from '../calls/chance.js';
import { createTortureControl } from '../calls/control.js';
import { makeDisk } from './disk.js';
import { ageSigningKey, createOperatorCommands } from '../processes/operator-commands.js';

import { FAULT_NAMES, type FaultName } from './fault-names.js';
import { createKillCycle, type State } from './kill-cycle.js';
import { createLimits } from '../reconciliation/limits.js';
import { prepare } from '../processes/prepare.js';
import { createProcesses } from '../processes/processes.js';
import { runningFaults, type Fault } from './running-faults.js';
import { startingFaults } from './starting-faults.js';
import type { Tortured } from './tortured.js';
import { startTraffic } from '../calls/traffic.js';

export interface TortureArguments {
  readonly kills: number;
  /** 0 for no limit. */
  readonly minutes: number;
  readonly seed: number;
  readonly faults: readonly FaultName[];
  /** Undefined for the system's temporary directory. */
  readonly workDir: string | undefined;
}

const MOST_DIFFERENCES = 20;
const WHOLE_COMPARISON_EVERY = 25;

/** Kills one installation repeatedly and makes it fail, until the limits in the arguments or a signal end the run. */
export async function torture(
  wanted: TortureArguments,
  progress: (line: string) => void,
  enough?: AbortSignal,
): Promise<Tortured> {
  const workDir = mkdtempSync(join(wanted.workDir ?? tmpdir(), 'adjacent-torture-'));
  const disk = makeDisk(workDir);
  const { dataDir } = disk;
  const chance = createChance(wanted.seed);
  const control = createTortureControl(join(workDir, 'control.json'));
  const processes = createProcesses(dataDir, join(workDir, 'control.json'));
  const [books, limits] = [createBooks(), createLimits()];
  const reconciliation = createReconciliation({
    location: { file: join(dataDir, LEDGER_FILE) },
    dataDirs: [dataDir],
    books,
    limits,
  });
  const counts = {
    kills: 0,
    killsAtStart: 0,
    comparisons: 0,
    faults: new Map(FAULT_NAMES.map((name): [FaultName, number] => [name, 0])),
  };
  const state: State = { caller: null, ledgerIsWell: true, diskIsWell: true };
  const differences: string[] = [];
  const differs = (what: string): void => {
    differences.push(`after ${counts.kills} kills: ${what}`);
    progress(differences.at(-1)!);
  };

  const keys = await prepare(processes, writeFeed(workDir, 1));
  const operatorCommands = createOperatorCommands({
    isFile: true,
    workDir,
    processes,
    limits,
    seen: reconciliation.seen,
    chance,
    onFault: differs,
  });
  const traffic = startTraffic({
    keys,
    books,
    chance,
    control,
    server: () => state.caller,
    diskIsWell: () => state.diskIsWell,
    onUnexpected: differs,
  });
  const compare = (whole: boolean): void => {
    counts.comparisons++;
    for (const difference of reconciliation.differences(whole)) differs(difference);
  };
  const among = (all: readonly Fault[]): readonly Fault[] => all.filter(({ name }) => wanted.faults.includes(name));
  const cycle = createKillCycle({
    running: among(runningFaults({ disk, control, chance })),
    starting: among(startingFaults({ disk, control, chance })),
    traffic,
    reconciliation,
    operatorCommands,
    processes,
    chance,
    state,
    counts,
    ageSigningKey: () => ageSigningKey(dataDir, control),
    differs,
  });

  const until = wanted.minutes === 0 ? Infinity : performance.now() + wanted.minutes * 60_000;
  try {
    const isOver = (): boolean => counts.kills >= wanted.kills || performance.now() > until || enough?.aborted === true;
    while (!isOver() && differences.length < MOST_DIFFERENCES) {
      const before = counts.kills;
      await cycle.run();
      await traffic.hold();
      const killed = counts.kills > before;
      compare(killed && counts.kills % WHOLE_COMPARISON_EVERY === 0);
      if (killed && counts.kills % 10 === 0)
        progress(`${counts.kills} kills, ${reconciliation.seen.since(0).times} events`);
    }
    await operatorCommands.finish();
    await cycle.settle();
    compare(true);
  } finally {
    await traffic.end();
    await processes.end();
  }
  const { since, micros } = reconciliation.seen;
  const results = { stored: since(0).times, micros: micros(), replies: books.tally, asked: traffic.asked };
  const kept = differences.length > 0 ? join(workDir, 'kept') : null;
  // The in-memory file system disappears with the disk, so the data are copied first.
  if (kept !== null) cpSync(dataDir, kept, { recursive: true });
  disk.remove();
  if (kept === null) rmSync(workDir, { recursive: true });
  return { ...counts, ...results, commands: operatorCommands.done, disk: disk.manner, differences, kept };
}

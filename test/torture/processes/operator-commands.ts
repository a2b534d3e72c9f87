import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openFileForReading } from '../../../server/ledger/sqlite/sqlite-file.js';
import { readKeptFrom } from '../../../server/ledger/tables/accounting-basis.js';
import { BUDGETED, writeFeed } from '../calls/catalogue.js';
import type { Chance } from '../calls/chance.js';
import type { TortureControl } from '../calls/control.js';
import type { Limits } from '../reconciliation/limits.js';
import { wasBusy } from './busy.js';
import type { Processes, ServerProcess } from './processes.js';
import type { Seen } from '../reconciliation/seen.js';

/** The operator commands that run while the server runs. */
export interface OperatorCommands {
  /** Starts a command, unless one is running. */
  begin(): void;
  /** Notes a fault, so that the running command may fail. */
  noteFault(): void;
  /** The running command, if any. */
  readonly running: ServerProcess | null;
  /** Waits until the running command has ended. */
  finish(): Promise<void>;
  readonly done: number;
}

export interface OperatorCommandOptions {
  /** Whether the ledger is a file, which can be backed up. */
  readonly isFile: boolean;
  readonly workDir: string;
  readonly processes: Processes;
  readonly limits: Limits;
  readonly seen: Seen;
  readonly chance: Chance;
  /** Called when a command fails although there was no fault, or has a wrong result. */
  readonly onFault: (what: string) => void;
}

interface OperatorCommand {
  readonly name: string;
  readonly args: readonly string[];
  /** Checks the result; returns a description of what is wrong, or null. */
  readonly verify?: () => string | null;
}

export function createOperatorCommands(options: OperatorCommandOptions): OperatorCommands {
  const { isFile, processes, chance, onFault } = options;
  let running: ServerProcess | null = null;
  let finished = Promise.resolve();
  let faultNoted = false;
  let done = 0;
  const next = operatorCommandsOf(options);

  const follow = async (started: ServerProcess, { name, args, verify }: OperatorCommand): Promise<void> => {
    const { code, signal, stderr } = await started.ended;
    running = null;
    done++;
    const called = `${name} ${args.join(' ')}`;
    if (signal !== null || faultNoted || (!isFile && wasBusy(stderr))) return;
    if (code !== 0) onFault(`${called} ended with ${code}: ${stderr.trim().slice(-400)}`);
    const fault = code === 0 ? (verify?.() ?? null) : null;
    if (fault !== null) onFault(`${called}: ${fault}`);
  };
  return {
    begin() {
      if (running !== null) return;
      faultNoted = false;
      const command = chance.oneOf(next)();
      running = processes.start(command.name, ...command.args);
      finished = follow(running, command);
    },
    noteFault: () => void (faultNoted = true),
    get running() {
      return running;
    },
    finish: () => finished,
    get done() {
      return done;
    },
  };
}

function operatorCommandsOf({
  isFile,
  workDir,
  limits,
  seen,
  chance,
}: OperatorCommandOptions): readonly (() => OperatorCommand)[] {
  let number = 0;
  let version = 1;
  const ledger = 'server/commands/ledger/main.js';
  const backUp = (): OperatorCommand => {
    const file = join(workDir, `backup-${++number}.sqlite`);
    const known = seen.asOfNow();
    const verify = (): string | null => {
      const database = openFileForReading(file);
      try {
        const stored = Number(database.file.prepare('select count(*) from events').pluck().get());
        // The backup lacks pruned events and those stored after its moment.
        const least = known.since(readKeptFrom(database)).times;
        return stored < least ? `the copy has ${stored} events of ${least}` : null;
      } finally {
        database.close();
        rmSync(file, { force: true });
      }
    };
    return { name: ledger, args: ['backup', file], verify };
  };
  const setBudget = (): OperatorCommand => {
    const campaign = chance.oneOf(BUDGETED);
    const micros = Math.max(1000, (seen.byAccount.get(campaign) ?? 0) + chance.whole(-20, 400) * 1000);
    limits.setTotal(campaign, micros);
    const args = ['set', campaign, '--budget', `${micros}micros`];
    return { name: 'server/commands/campaigns/main.js', args };
  };
  const publish = (): OperatorCommand => ({ name: 'indexer/main.js', args: [writeFeed(workDir, ++version)] });
  return [
    ...(isFile ? [backUp] : []),
    setBudget,
    setBudget,
    publish,
    () => ({ name: ledger, args: ['check'] }),
    () => ({ name: ledger, args: ['prune'] }),
    () => ({ name: ledger, args: ['rebuild'] }),
    () => ({ name: 'server/commands/keys/main.js', args: ['create', '--publisher', `Publisher ${++number}`] }),
  ];
}

/** Makes the signing key look old enough to be replaced at the next start. */
export function ageSigningKey(dataDir: string, control: TortureControl): void {
  const file = join(dataDir, 'signing-keys.json');
  const stored = JSON.parse(readFileSync(file, 'utf8')) as { keys: { createdAt: string; retiredAt: string | null }[] };
  for (const key of stored.keys) {
    if (key.retiredAt === null) key.createdAt = new Date(control.now() - 31 * 24 * 3_600_000).toISOString();
  }
  writeFileSync(`${file}.aged`, JSON.stringify(stored), { mode: 0o600 });
  renameSync(`${file}.aged`, file);
}

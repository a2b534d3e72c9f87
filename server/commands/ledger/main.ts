import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { commandActor } from '../../../models/audit/actor.js';
import { main, UsageError } from '../../../models/command-line/run-command.js';
import { doAudited } from '../../audit/change-audited.js';
import type { Config } from '../../config/config.js';
import { checkInvoices } from '../../invoice/check-invoices.js';
import { backUp, restore } from '../../ledger/backup.js';
import { checkSums } from '../../ledger/check-sums.js';
import { LEDGER_FILE, openForReading, openForWriting } from '../../ledger/database.js';
import { readInstallation } from '../../ledger/installation.js';
import { rebuildRollUps } from '../../ledger/rebuild.js';
import { createRetention } from '../../ledger/retention.js';
import { readCommand } from '../shared/read-command.js';

const usage = `Usage: npm run ledger -- COMMAND [options]

Looks after the file that holds all events and counts.

  backup FILE      a whole copy, also while a server writes
  restore FILE     puts a copy in the ledger's place and keeps the old one beside it; stop the server first
  rebuild          sums all roll-ups up anew from what is stored; a running server cannot count meanwhile
  prune            deletes raw events older than KEEP_EVENTS_DAYS now; a running server does so by itself
  check            compares events, counters, bills, spend and invoices, and changes nothing; exits with 1 on a difference
  --data-dir DIR   where the ledger is (default: the DATA_DIR setting, ./data)

Example: npm run ledger -- backup /backups/ledger-2026-11-22.sqlite
`;

/** How many files each command names. */
const OPERANDS: Readonly<Record<string, number>> = { backup: 1, restore: 1, rebuild: 0, prune: 0, check: 0 };

/** What changes the ledger stands in the audit log. */
const CHANGING: ReadonlySet<string> = new Set(['restore', 'rebuild', 'prune']);

await main({
  usage,
  async run(argv, output) {
    const { positionals, config } = readCommand(argv, {});
    const [name, ...operands] = positionals;
    if (name === undefined) throw new UsageError('a command is missing');
    if (!Object.hasOwn(OPERANDS, name)) throw new UsageError(`${name} is not a command`);
    if (operands.length !== OPERANDS[name]) throw new UsageError(`${name} takes ${OPERANDS[name] || 'no'} file`);
    const act = () => perform(name, operands[0] ?? '', config);
    output.out(`${await (CHANGING.has(name) ? recorded(name, operands[0], config, act) : act())}\n`);
  },
});

function recorded(name: string, from: string | undefined, { dataDir }: Config, act: () => Promise<string>) {
  const audited = { dataDir, by: commandActor(), action: `ledger ${name}`, now: Date.now() };
  const fields = from === undefined ? {} : { file: { old: null, new: from } };
  return doAudited(audited, [{ subject: { kind: 'ledger', name: LEDGER_FILE }, fields }], act);
}

async function perform(name: string, operand: string, config: Config): Promise<string> {
  const file = join(config.dataDir, LEDGER_FILE);
  if (name === 'backup') {
    await backUp(file, operand);
    return `the ledger is copied to ${operand}`;
  }
  if (name === 'restore') {
    const kept = await restore(operand, file, Date.now());
    return kept === undefined ? `${operand} is the ledger now` : `${operand} is the ledger now; the old one is ${kept}`;
  }
  if (!existsSync(file)) throw new Error(`there is no ledger at ${file}`);
  if (name === 'check') return check(file, config);
  const database = openForWriting(file, 10_000);
  try {
    const { timeZone } = readInstallation(database) ?? config;
    if (name === 'rebuild') {
      rebuildRollUps(database, timeZone);
      return 'all roll-ups are summed up anew';
    }
    const retention = createRetention(database, timeZone, config.keepEventsDays);
    const now = Date.now();
    while (retention.step(now));
    return `raw events older than ${config.keepEventsDays} days are deleted`;
  } finally {
    database.close();
  }
}

/** @throws Error that names every difference */
function check(file: string, config: Config): string {
  const database = openForReading(file);
  try {
    const installation = readInstallation(database) ?? config;
    const differences = [...checkSums(database, installation.timeZone), ...checkInvoices(database, installation)];
    if (differences.length > 0) throw new Error(`the books do not agree:\n${differences.join('\n')}`);
    return 'events, counters, bills, spend and invoices agree';
  } finally {
    database.close();
  }
}

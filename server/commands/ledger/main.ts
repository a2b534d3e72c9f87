import { existsSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { withCluster } from '../../../platform/cluster/with-cluster.js';
import type { DataLocation } from '../../../platform/cluster/data-location.js';
import { commandActor } from '../../../models/audit/actor.js';
import { main, TEXT, UsageError } from '../../../platform/command-line/run-command.js';
import { doAudited } from '../../audit/change-audited.js';
import type { Config } from '../../config/config.js';
import { checkInvoices } from '../../invoice/check-invoices.js';
import { backUp, backUpDated } from '../../ledger/backup/backup.js';
import { checkSums } from '../../ledger/sums/check-sums.js';
import {
  LEDGER_FILE,
  ledgerLocation,
  openForReading,
  openForWriting,
  refuseMissing,
  type LedgerLocation,
} from '../../ledger/database.js';
import type { LedgerDatabase } from '../../ledger/tables/ledger-database.js';
import { readClockMark, readAccountingBasis, writeClockMark } from '../../ledger/tables/accounting-basis.js';
import { rebuildRollUps } from '../../ledger/sums/rebuild.js';
import { restore } from '../../ledger/backup/restore.js';
import { createRetention, type Retention } from '../../ledger/retention.js';
import { readCommand } from '../shared/read-command.js';

const usage = `Usage: npm run ledger -- COMMAND [options]

Maintains the ledger, which holds all events and counts: a file, or with DATABASE_URL a PostgreSQL database.

  backup FILE      makes a complete, checked copy, even while a server writes (FILE with an ending, such as .sqlite)
  backup FOLDER    the same, named by its time, into an existing folder
    --keep N       then deletes such copies except the latest N
  restore FILE     replaces the ledger by a copy and keeps the old one beside it; stop the server first
                   (backup and restore are for the file; for a database use pg_dump and pg_restore)
  rebuild          recomputes all roll-ups from stored data; a running server cannot count meanwhile
  prune            deletes raw events older than KEEP_EVENTS_DAYS now; a running server does so itself
  reset-clock      uses the machine's clock again, after it was days ahead; stop the server first
  check            compares events, counters, bills, spend and invoices; changes nothing; exits with 1 on a difference
  --data-dir DIR   where the ledger is (default: the DATA_DIR setting, ./data)

Example: npm run ledger -- backup /backups --keep 30
`;

/** Number of file arguments of each command. */
const OPERANDS: Readonly<Record<string, number>> = {
  backup: 1,
  restore: 1,
  rebuild: 0,
  prune: 0,
  'reset-clock': 0,
  check: 0,
};

const KEEP = '--keep needs backup into an existing folder; create it first';

/** Commands that change the ledger, and so are recorded in the audit log. */
const CHANGING: ReadonlySet<string> = new Set(['restore', 'rebuild', 'prune', 'reset-clock']);

/** How long `prune` works at a time, and then leaves the file to writers, each of which looks for it every 100 ms. */
const TURN_MS = 100;
const REST_MS = 150;

await main({
  usage,
  async run(argv, output) {
    const { positionals, values, config } = readCommand(argv, { keep: TEXT });
    const [name, ...operands] = positionals;
    if (name === undefined) throw new UsageError('a command is missing');
    if (!Object.hasOwn(OPERANDS, name)) throw new UsageError(`${name} is not a command`);
    if (operands.length !== OPERANDS[name]) throw new UsageError(`${name} takes ${OPERANDS[name] || 'no'} file`);
    if (values.keep !== undefined && !/^[1-9]\d{0,5}$/.test(values.keep)) {
      throw new UsageError(`--keep must be a number from 1 on, not "${values.keep}"`);
    }
    const keep = values.keep === undefined ? undefined : Number(values.keep);
    const act = () => perform(name, operands[0] ?? '', keep, config);
    const done = CHANGING.has(name)
      ? withCluster(config, (cluster) => recorded(name, operands[0], { ...config, cluster }, act))
      : act();
    output.out(`${await done}\n`);
  },
});

function recorded(
  name: string,
  from: string | undefined,
  { dataDir, cluster }: DataLocation,
  act: () => Promise<string>,
) {
  const audited = { dataDir, cluster, by: commandActor(), action: `ledger ${name}`, now: Date.now() };
  const fields = from === undefined ? {} : { file: { old: null, new: from } };
  return doAudited(audited, [{ subject: { kind: 'ledger', name: LEDGER_FILE }, fields }], act);
}

async function perform(name: string, operand: string, keep: number | undefined, config: Config): Promise<string> {
  const location = ledgerLocation(config);
  return 'file' in location && (name === 'backup' || name === 'restore')
    ? backUpOrRestore(name, location.file, operand, keep, config)
    : runOnDatabase(name, location, keep, config);
}

async function backUpOrRestore(
  name: 'backup' | 'restore',
  file: string,
  operand: string,
  keep: number | undefined,
  config: Config,
): Promise<string> {
  const isDated = name === 'backup' && existsSync(operand) && statSync(operand).isDirectory();
  if (keep !== undefined && !isDated) throw new UsageError(KEEP);
  if (isDated) {
    const { file: copy, deleted } = await backUpDated(file, operand, keep, Date.now());
    return `the ledger is copied to ${copy}${deleted.length > 0 ? `; deleted: ${deleted.join(', ')}` : ''}`;
  }
  if (name === 'backup') {
    if (extname(operand) === '') {
      throw new UsageError(`there is no folder ${operand}; create it, or name a file that ends with .sqlite`);
    }
    await backUp(file, operand);
    return `the ledger is copied to ${operand}`;
  }
  const kept = await restore(operand, file, config, Date.now());
  return kept === undefined ? `${operand} is the ledger now` : `${operand} is the ledger now; the old one is ${kept}`;
}

async function runOnDatabase(
  name: string,
  location: LedgerLocation,
  keep: number | undefined,
  config: Config,
): Promise<string> {
  if (name === 'backup' || name === 'restore') {
    throw new UsageError(
      `${name} is for a ledger in a file; this one is in PostgreSQL: use pg_dump and pg_restore, with all servers stopped for the latter`,
    );
  }
  if (keep !== undefined) throw new UsageError(KEEP);
  refuseMissing(location);
  if (name === 'check') return check(location, config);
  const database = openForWriting(location, name === 'reset-clock' ? 500 : 10_000);
  try {
    const { timeZone } = readAccountingBasis(database) ?? config;
    if (name === 'rebuild') {
      rebuildRollUps(database, timeZone);
      return 'all roll-ups are recomputed';
    }
    if (name === 'reset-clock') return resetClock(database);
    await pruneInTurns(createRetention(database, timeZone, config.keepEventsDays));
    return `raw events older than ${config.keepEventsDays} days are deleted`;
  } finally {
    database.close();
  }
}

/** Prunes to the end. A running server gets its turn in between, or its beacons would fail meanwhile. */
async function pruneInTurns(retention: Retention): Promise<void> {
  const now = Date.now();
  let began = performance.now();
  while (retention.step(now)) {
    if (performance.now() - began < TURN_MS) continue;
    await pause(REST_MS);
    began = performance.now();
  }
}

/** Resets the ledger's clock. Refuses while a server runs, which would write its clock again. */
function resetClock(database: LedgerDatabase): string {
  const mark = readClockMark(database);
  database.refuseWhileServed();
  writeClockMark(database, null);
  const was = mark === null ? 'had no clock of its own' : `was at ${new Date(mark).toISOString()}`;
  return `the ledger uses the machine's clock, ${new Date().toISOString()}; it ${was}`;
}

/** Checks the ledger. @throws Error that lists every difference */
function check(location: LedgerLocation, config: Config): string {
  const database = openForReading(location);
  try {
    const basis = readAccountingBasis(database) ?? config;
    const differences = [...checkSums(database, basis.timeZone), ...checkInvoices(database, basis)];
    if (differences.length > 0) throw new Error(`the ledger is inconsistent:\n${differences.join('\n')}`);
    return 'events, counters, bills, spend and invoices agree';
  } finally {
    database.close();
  }
}

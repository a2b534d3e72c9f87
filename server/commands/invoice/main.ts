import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError, readConfig, readEnvironment } from '../../config/config.js';
import { LEDGER_FILE, openForReading, openForWriting } from '../../ledger/database.js';
import { readInstallation } from '../../ledger/installation.js';
import { requireKnown } from '../shared/known-names.js';
import { type InvoiceArguments, readArguments, USAGE, UsageError } from './arguments.js';
import { asCsv, asHtml } from '../../invoice/formats.js';
import { closeMonth } from '../../invoice/close-month.js';
import { invoice } from '../../invoice/invoice.js';

/** `npm run invoice`: exit 0, 1 (nobody of that name, the ledger cannot be read, the month cannot be closed), 2 (usage or settings). */
try {
  const wanted = readArguments(process.argv.slice(2));
  if (wanted === null) process.stdout.write(USAGE);
  else
    await answer(
      wanted,
      readConfig(readEnvironment(), wanted.dataDir === undefined ? [] : ['--data-dir', wanted.dataDir]),
    );
} catch (error) {
  const usage = error instanceof UsageError;
  process.stderr.write(`${(error as Error).message}\n${usage ? `\n${USAGE}` : ''}`);
  process.exitCode = usage || error instanceof ConfigError ? 2 : 1;
}

async function answer(wanted: InvoiceArguments, config: Config): Promise<void> {
  await requireKnown('advertiser', wanted.advertiser, config.dataDir);
  const file = join(config.dataDir, LEDGER_FILE);
  if (wanted.close) close(wanted, config, file);
  const database = openForReading(file);
  try {
    const whole = invoice(database, wanted.advertiser, wanted.month, config);
    const text = wanted.format === 'csv' ? asCsv(whole) : asHtml(whole);
    if (wanted.out === undefined) process.stdout.write(text);
    else writeFileSync(wanted.out, text);
  } finally {
    database.close();
  }
}

function close({ advertiser, month }: InvoiceArguments, config: Config, file: string): void {
  if (!existsSync(file)) throw new Error(`there is no ledger at ${file}`);
  const database = openForWriting(file, 5000);
  try {
    closeMonth(database, advertiser, month, readInstallation(database)?.timeZone ?? config.timeZone, Date.now());
  } finally {
    database.close();
  }
}

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main, type Output } from '../../../models/command-line/run-command.js';
import { LEDGER_FILE, openForReading, openForWriting } from '../../ledger/database.js';
import { readInstallation } from '../../ledger/installation.js';
import { requireKnown } from '../shared/known-names.js';
import { type InvoiceArguments, readArguments, usage } from './arguments.js';
import { asCsv, asHtml } from '../../invoice/formats.js';
import { closeMonth } from '../../invoice/close-month.js';
import { invoice } from '../../invoice/invoice.js';

// `npm run invoice`: reads the ledger's file by itself; only closing a month writes to it.
await main({
  usage,
  async run(argv, output) {
    await writeInvoice(readArguments(argv), output);
  },
});

async function writeInvoice(wanted: InvoiceArguments, output: Output): Promise<void> {
  const { advertiser, month, config } = wanted;
  await requireKnown('advertiser', advertiser, config.dataDir);
  const file = join(config.dataDir, LEDGER_FILE);
  if (wanted.close) close(wanted, file);
  const database = openForReading(file);
  try {
    const whole = invoice(database, advertiser, month, config);
    const text = wanted.format === 'csv' ? asCsv(whole) : asHtml(whole);
    if (wanted.out === undefined) output.out(text);
    else writeFileSync(wanted.out, text);
  } finally {
    database.close();
  }
}

function close({ advertiser, month, config }: InvoiceArguments, file: string): void {
  if (!existsSync(file)) throw new Error(`there is no ledger at ${file}`);
  const database = openForWriting(file, 5000);
  try {
    closeMonth(database, advertiser, month, readInstallation(database)?.timeZone ?? config.timeZone, Date.now());
  } finally {
    database.close();
  }
}

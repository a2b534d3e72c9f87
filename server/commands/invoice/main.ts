import { readFileSync, writeFileSync } from 'node:fs';
import type { Cluster } from '../../../platform/cluster/cluster.js';
import { withInstallation } from '../../../models/snapshot/with-installation.js';
import { commandActor } from '../../../models/audit/actor.js';
import { main, type Output, printDocument } from '../../../platform/command-line/run-command.js';
import { doAudited } from '../../audit/change-audited.js';
import { printable } from '../../../platform/text/printable.js';
import {
  ledgerLocation,
  openForReading,
  openForWriting,
  refuseMissing,
  type LedgerLocation,
} from '../../ledger/database.js';
import type { LedgerDatabase } from '../../ledger/tables/ledger-database.js';
import { readAccountingBasis } from '../../ledger/tables/accounting-basis.js';
import { requireKnown } from '../shared/known-names.js';
import { readArguments, usage, type WantedInvoice } from './arguments.js';
import { billingStore, partiesOf, type Parties } from '../../invoice/billing/billing-file.js';
import { closeMonth } from '../../invoice/close-month.js';
import { invoiceNumber } from '../../invoice/formats.js';
import { monthText } from '../../domain/billing-month.js';
import { readInvoice } from '../../invoice/read-invoice.js';
import { findDocument, readStoredInvoice } from '../../invoice/stored-invoices.js';

// `npm run invoice`: reads the ledger directly; only closing a month writes to it.
await main({
  usage,
  async run(argv, output) {
    const wanted = readArguments(argv);
    const { config, verify: document } = wanted;
    const location = ledgerLocation(config);
    if (document !== undefined) verify(document, location, output);
    else await withInstallation(config, (cluster) => print(wanted, location, cluster));
  },
});

async function print(wanted: WantedInvoice, location: LedgerLocation, cluster: Cluster | null): Promise<void> {
  const { advertiser, month, format, config } = wanted;
  await requireKnown('advertiser', advertiser, config);
  if (wanted.close) await close(wanted, location, cluster);
  const stored = reading(location, (database) => readStoredInvoice(database, advertiser, month, format));
  const text = stored ?? (await openInvoice(wanted, location, cluster));
  if (wanted.out === undefined) printDocument(text);
  else writeFileSync(wanted.out, text);
}

/** Billing details are read for open months alone, so that closed ones can be printed whatever happened to them. */
async function openInvoice(
  { advertiser, month, format, config }: WantedInvoice,
  location: LedgerLocation,
  cluster: Cluster | null,
): Promise<string> {
  const parties = partiesOf(await billingStore(config.dataDir, cluster).read(), advertiser);
  return reading(location, (database) => readInvoice(database, advertiser, month, format, config, parties)).text;
}

async function close(
  { advertiser, month, config }: WantedInvoice,
  location: LedgerLocation,
  cluster: Cluster | null,
): Promise<void> {
  refuseMissing(location);
  const database = openForWriting(location, 5000);
  try {
    if (readStoredInvoice(database, advertiser, month, 'json') !== undefined) return;
    const parties = partiesOf(await billingStore(config.dataDir, cluster).read(), advertiser);
    requireComplete(advertiser, parties);
    const now = Date.now();
    const audited = { dataDir: config.dataDir, cluster, by: commandActor(), action: 'invoice close', now };
    const subject = { kind: 'invoice', name: `${advertiser || 'none'} ${monthText(month)}` } as const;
    await doAudited(audited, [{ subject, fields: { state: { old: 'open', new: 'closed' } } }], () =>
      closeMonth(database, advertiser, month, readAccountingBasis(database) ?? config, now, parties),
    );
  } finally {
    database.close();
  }
}

/** @throws Error if one of seller and buyer is set and the other is not: a closed invoice could not get it any more */
function requireComplete(advertiser: string, { seller, buyer }: Parties): void {
  if (seller === undefined && buyer !== undefined) {
    throw new Error(
      `"${printable(advertiser)}" has billing details and no seller is set, and a closed invoice cannot get one any ` +
        'more: set it with npm run billing -- seller --name NAME --address LINE',
    );
  }
  if (seller === undefined || buyer !== undefined || advertiser === '') return;
  throw new Error(
    `"${printable(advertiser)}" has no billing address, and a closed invoice cannot get one any more: ` +
      'set it with npm run billing -- advertiser NAME --address LINE',
  );
}

function verify(document: string, location: LedgerLocation, output: Output): void {
  const known = reading(location, (database) => findDocument(database, readFileSync(document)));
  if (known === undefined) {
    throw new Error(
      `${document} is not a stored invoice: it was changed, is of an open month, or belongs to another ledger`,
    );
  }
  const { number, advertiser, month, format } = known;
  const whose = advertiser === '' ? 'no advertiser' : `"${printable(advertiser)}"`;
  output.out(`${document} is invoice ${invoiceNumber(number)} of ${whose} for ${month}, as stored (${format})\n`);
}

function reading<T>(location: LedgerLocation, use: (database: LedgerDatabase) => T): T {
  const database = openForReading(location);
  try {
    return use(database);
  } finally {
    database.close();
  }
}

import { FLAG, TEXT, UsageError } from '../../../platform/command-line/run-command.js';
import type { Config } from '../../config/config.js';
import { FORMATS, type Format } from '../../invoice/formats.js';
import { readMonth } from '../../domain/billing-month.js';
import { readCommand } from '../shared/read-command.js';

export const usage = `Usage: npm run invoice -- --advertiser NAME --month 2026-11 [options]
       npm run invoice -- --verify FILE

What an advertiser owes for a month, with a line per campaign, creative and price, and credits for voided events. Once
closed, an invoice has a number and never changes. What it says of seller, buyer and tax is set by npm run billing.

  --advertiser NAME  the advertiser; "" for ads that name none
  --month MONTH      the month, in the installation's time zone
  --format FORMAT    csv (default), json, or html for printing
  --out FILE         write there instead of printing
  --close            close the month first: later events are billed in the next open one
  --verify FILE      checks that a file is a stored invoice, byte for byte; exits with 1 if not
  --data-dir DIR     where the ledger is (default: the DATA_DIR setting, ./data)

Example: npm run invoice -- --advertiser "Acme" --month 2026-11 --format html --out acme.html
`;

export type InvoiceArguments = WantedInvoice | { readonly verify: string; readonly config: Config };

export interface WantedInvoice {
  readonly verify?: undefined;
  readonly advertiser: string;
  /** 202611 is November 2026. */
  readonly month: number;
  readonly format: Format;
  readonly out: string | undefined;
  readonly close: boolean;
  readonly config: Config;
}

const OPTIONS = { advertiser: TEXT, month: TEXT, format: TEXT, out: TEXT, close: FLAG, verify: TEXT } as const;

/** Reads and checks the command line. @throws UsageError, SettingsError naming what is wrong */
export function readArguments(argv: readonly string[]): InvoiceArguments {
  const { values, config } = readCommand(argv, OPTIONS, 0);
  const { advertiser, month, format: wanted = 'csv', out, close = false, verify } = values;
  if (verify !== undefined) {
    if (Object.keys(values).some((name) => name !== 'verify' && name !== 'data-dir')) {
      throw new UsageError('--verify takes no other options');
    }
    return { verify, config };
  }
  if (advertiser === undefined) throw new UsageError('--advertiser is missing');
  const wantedMonth = month === undefined ? undefined : readMonth(month);
  if (wantedMonth === undefined) {
    throw new UsageError(`--month must be a month such as 2026-11${month === undefined ? '' : `, not "${month}"`}`);
  }
  const format = FORMATS.find((known) => known === wanted);
  if (format === undefined) throw new UsageError(`--format must be one of ${FORMATS.join(', ')}, not "${wanted}"`);
  return { advertiser, month: wantedMonth, format, out, close, config };
}

import { FLAG, TEXT, UsageError } from '../../../models/command-line/run-command.js';
import type { Config } from '../../config/config.js';
import { readCommand } from '../shared/read-command.js';

export const usage = `Usage: npm run invoice -- --advertiser NAME --month 2026-11 [options]

What an advertiser owes for a month, a line for each campaign, creative and price.

  --advertiser NAME  whose; "" for ads that name no advertiser
  --month MONTH      of which month, in the installation's time zone
  --format FORMAT    csv (default) or html, to print
  --out FILE         write there instead of printing
  --close            freeze the month first: what comes later is billed in the next open one
  --data-dir DIR     where the ledger is (default: the DATA_DIR setting, ./data)

Example: npm run invoice -- --advertiser "Acme" --month 2026-11 --format html --out acme.html
`;

export interface InvoiceArguments {
  readonly advertiser: string;
  /** 202611 */
  readonly month: number;
  readonly format: 'csv' | 'html';
  readonly out: string | undefined;
  readonly close: boolean;
  readonly config: Config;
}

const OPTIONS = { advertiser: TEXT, month: TEXT, format: TEXT, out: TEXT, close: FLAG } as const;

/** @throws UsageError, SettingsError naming what is wrong */
export function readArguments(argv: readonly string[]): InvoiceArguments {
  const { values, config } = readCommand(argv, OPTIONS, 0);
  const { advertiser, month, format = 'csv', out, close = false } = values;
  if (advertiser === undefined) throw new UsageError('--advertiser is missing');
  if (month === undefined || !/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) {
    throw new UsageError(`--month must be a month such as 2026-11${month === undefined ? '' : `, not "${month}"`}`);
  }
  if (format !== 'csv' && format !== 'html') throw new UsageError(`--format must be csv or html, not "${format}"`);
  return { advertiser, month: Number(month.replace('-', '')), format, out, close, config };
}

import { parseArgs } from 'node:util';
import { ReportQueryError } from '../../reports/period.js';
import { dimensionsOf, NAMES, type ReportQuery } from '../../reports/report-query.js';

export const USAGE = `Usage: npm run report -- [options]

Sums up decisions, ads shown, views, clicks and spend; beside a running server or without one.

  --by LIST          rows by hour, day, publisher, advertiser, campaign, creative, or several: --by day,creative (default: day)
  --from D           first day (2026-11-21), or a moment (2026-11-21T06:00Z) (default: the beginning)
  --to D             last day, or the moment before which to end (default: now)
  --time-zone ZONE   hours and days of another time zone than the installation's
  --publisher NAME   only what bears this name; likewise --advertiser, --campaign and --creative, each as often as needed
  --format FORMAT    table (default), json or csv
  --test             the events of test keys (the demo's is one) instead of all others
  --data-dir DIR     where the ledger is (default: the DATA_DIR setting, ./data)

Example: npm run report -- --by day,campaign --from 2026-11-01 --to 2026-11-30 --format csv
`;

const FORMATS = ['table', 'json', 'csv'] as const;

export interface ReportArguments {
  readonly query: ReportQuery;
  readonly format: (typeof FORMATS)[number];
  readonly dataDir: string | undefined;
  readonly help: boolean;
}

/** @throws ReportQueryError naming the argument that is wrong */
export function readArguments(argv: readonly string[]): ReportArguments {
  const values = parse(argv);
  const { from, to, test = false, 'time-zone': timeZone, 'data-dir': dataDir, help = false } = values;
  const format = FORMATS.find((name) => name === (values.format ?? 'table'));
  if (format === undefined)
    throw new ReportQueryError(`--format must be one of ${FORMATS.join(', ')}, not "${values.format}"`);
  const where = Object.fromEntries(NAMES.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
  return { query: { by: dimensionsOf(values.by ?? 'day'), from, to, timeZone, test, where }, format, dataDir, help };
}

function parse(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const several = { type: 'string', multiple: true } as const;
  const filters = { publisher: several, advertiser: several, campaign: several, creative: several };
  const texts = { by: text, from: text, to: text, 'time-zone': text, format: text, 'data-dir': text };
  try {
    return parseArgs({ args: [...argv], options: { ...texts, ...filters, test: flag, help: { ...flag, short: 'h' } } })
      .values;
  } catch (error) {
    throw new ReportQueryError((error as Error).message);
  }
}

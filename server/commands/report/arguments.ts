import { FLAG, TEXT, TEXTS, UsageError } from '../../../platform/command-line/run-command.js';
import type { Config } from '../../config/config.js';
import { dimensionsOf, NAMES, type ReportQuery } from '../../reports/report-query.js';
import { readCommand } from '../shared/read-command.js';

export const usage = `Usage: npm run report -- [options]

Sums up decisions, ads shown, views, clicks and spend; beside a running server or without one.

  --by LIST          rows by hour, day, publisher, advertiser, campaign, creative, or several: --by day,creative (default: day)
  --from D           first day (2026-11-21), or a moment (2026-11-21T06:00Z) (default: the beginning)
  --to D             last day, or the moment before which to end (default: now)
  --time-zone ZONE   hours and days of another time zone than the installation's
  --publisher NAME   only what bears this name; likewise --advertiser, --campaign and --creative, each as often as needed
  --format FORMAT    table (default), json or csv
  --out FILE         write there instead of printing, where npm prints lines of its own
  --test             the events of test keys (the demo's is one) instead of all others
  --data-dir DIR     where the ledger is (default: the DATA_DIR setting, ./data)

Example: npm run report -- --by day,campaign --from 2026-11-01 --to 2026-11-30 --format csv --out november.csv
`;

const FORMATS = ['table', 'json', 'csv'] as const;

export interface ReportArguments {
  readonly query: ReportQuery;
  readonly format: (typeof FORMATS)[number];
  /** The file to write; undefined: it is printed. */
  readonly out: string | undefined;
  readonly config: Config;
}

const FILTERS = { publisher: TEXTS, advertiser: TEXTS, campaign: TEXTS, creative: TEXTS };
const OPTIONS = {
  ...FILTERS,
  by: TEXT,
  from: TEXT,
  to: TEXT,
  'time-zone': TEXT,
  format: TEXT,
  out: TEXT,
  test: FLAG,
} as const;

/** @throws UsageError, SettingsError, ReportQueryError naming what is wrong */
export function readArguments(argv: readonly string[]): ReportArguments {
  const { values, config } = readCommand(argv, OPTIONS, 0);
  const { from, to, test = false, 'time-zone': timeZone } = values;
  const format = FORMATS.find((name) => name === (values.format ?? 'table'));
  if (format === undefined) {
    throw new UsageError(`--format must be one of ${FORMATS.join(', ')}, not "${values.format}"`);
  }
  const where = Object.fromEntries(NAMES.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
  return {
    query: { by: dimensionsOf(values.by ?? 'day'), from, to, timeZone, test, where },
    format,
    out: values.out,
    config,
  };
}

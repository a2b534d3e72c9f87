import { FLAG, TEXT, TEXTS, UsageError } from '../../../platform/command-line/run-command.js';
import type { Config } from '../../config/config.js';
import { dimensionsOf, NAMES, type ReportQuery } from '../../reports/report-query.js';
import { readCommand } from '../shared/read-command.js';

export const usage = `Usage: npm run report -- [options]

Sums up decisions, impressions, views, clicks and spend, with or without a running server.

  --by LIST          group by hour, day, publisher, advertiser, campaign, creative, or several: --by day,creative (default: day)
  --from D           first day (2026-11-21), or a moment (2026-11-21T06:00Z) (default: the beginning)
  --to D             last day, or the moment before which to end (default: now)
  --time-zone ZONE   hours and days in this time zone (default: the installation's)
  --publisher NAME   only this name; likewise --advertiser, --campaign and --creative; each may be repeated
  --format FORMAT    table (default), json or csv
  --out FILE         write there instead of printing, since npm adds lines of its own
  --test             only the events of test keys, such as the demo's, instead of all others
  --data-dir DIR     where the ledger is (default: the DATA_DIR setting, ./data)

Example: npm run report -- --by day,campaign --from 2026-11-01 --to 2026-11-30 --format csv --out november.csv
`;

const FORMATS = ['table', 'json', 'csv'] as const;

export interface ReportArguments {
  readonly query: ReportQuery;
  readonly format: (typeof FORMATS)[number];
  /** The file to write; undefined: print. */
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

/** Reads and checks the command line. @throws UsageError, SettingsError, ReportQueryError naming what is wrong */
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

import { parseArgs } from 'node:util';
import { ReportQueryError } from './period.js';
import { DIMENSIONS, type Dimension, type ReportQuery } from './report-query.js';

export const USAGE = `Usage: npm run report -- [options]

  --by LIST          rows by hour, day, publisher, advertiser, campaign, creative, or several: --by day,creative (default: day)
  --from D           first day (2026-11-21), or a moment (2026-11-21T06:00Z)
  --to D             last day, or the moment before which to end
  --time-zone ZONE   hours and days of another time zone than the installation's
  --format FORMAT    table (default), json or csv
  --test             the events of test keys (the demo's is one) instead of all others
  --data-dir DIR     where the ledger is (default: the DATA_DIR setting)
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
  return { query: { by: dimensionsOf(values.by ?? 'day'), from, to, timeZone, test }, format, dataDir, help };
}

function parse(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const texts = { by: text, from: text, to: text, 'time-zone': text, format: text, 'data-dir': text };
  try {
    return parseArgs({ args: [...argv], options: { ...texts, test: flag, help: { ...flag, short: 'h' } } }).values;
  } catch (error) {
    throw new ReportQueryError((error as Error).message);
  }
}

/** `--by` of nothing, `--by ""`, asks for the total alone. */
function dimensionsOf(list: string): Dimension[] {
  const names = new Set(
    list
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );
  return [...names].map((name) => {
    const dimension = DIMENSIONS.find((known) => known === name);
    if (dimension === undefined) throw new ReportQueryError(`--by knows ${DIMENSIONS.join(', ')}, not "${name}"`);
    return dimension;
  });
}

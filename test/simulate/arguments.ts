import { parseOptions, TEXT, UsageError } from '../../platform/command-line/run-command.js';

export const usage = `Usage: npm run simulate -- [options]

A month of life to look at in the dashboard: drives a server, fills the ledger, and compares books and report.

  --decisions N   ask so many times over HTTP (default: 20000)
  --events N      until there are so many events in all, fill a month around them (default: 2000000)
  --days N        how long that month is; it ends now (default: 30)
  --seed N        other people, other clicks (default: 1)
  --data-dir DIR  where to keep it all (default: data/simulation); what is counted there already is left as it is
  --port N        where the server listens while it is driven (default: 0, any free port)
  --url URL       drive the server that runs there with this --data-dir, on the sample catalogue, instead of starting one

Example: npm run simulate -- --days 30 --decisions 2000 --data-dir data/simulation
`;

export interface SimulateArguments {
  readonly decisions: number;
  readonly events: number;
  readonly days: number;
  readonly seed: number;
  readonly dataDir: string;
  readonly port: number;
  /** A running server's address; undefined: one is started. */
  readonly url: string | undefined;
}

const WHOLE = { decisions: TEXT, events: TEXT, days: TEXT, seed: TEXT, port: TEXT } as const;

/** @throws UsageError naming what is wrong */
export function readArguments(argv: readonly string[]): SimulateArguments {
  const { values } = parseOptions(argv, { ...WHOLE, 'data-dir': TEXT, url: TEXT }, 0);
  const whole = (name: keyof typeof WHOLE, fallback: number, most: number): number => {
    const value = values[name] === undefined ? fallback : /^\d{1,9}$/.test(values[name]) ? Number(values[name]) : NaN;
    if (!(value <= most)) throw new UsageError(`--${name} must be a whole number up to ${most}, not "${values[name]}"`);
    return value;
  };
  const { url } = values;
  if (url !== undefined && values['data-dir'] === undefined) throw new UsageError('--url needs its --data-dir');
  if (url !== undefined && !URL.canParse(url)) throw new UsageError(`--url must be an address, not "${url}"`);
  return {
    decisions: Math.max(1, whole('decisions', 20_000, 10_000_000)),
    events: whole('events', 2_000_000, 500_000_000),
    days: Math.max(1, whole('days', 30, 3650)),
    seed: whole('seed', 1, 999_999_999),
    port: whole('port', 0, 65_535),
    dataDir: values['data-dir'] ?? 'data/simulation',
    url: url === undefined ? undefined : new URL(url).href.replace(/\/$/, ''),
  };
}

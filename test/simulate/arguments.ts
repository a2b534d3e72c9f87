import { parseOptions, TEXT, UsageError } from '../../platform/command-line/run-command.js';

export const usage = `Usage: npm run simulate -- [options]

Simulates a month of traffic for the dashboard: drives a server, fills the ledger, and compares books and report.

  --decisions N   number of requests for ads over HTTP (default: 20000)
  --events N      total number of events; the rest fills a month through the ledger (default: 2000000)
  --days N        length of that month, which ends now (default: 30)
  --seed N        seed of the simulated people and clicks (default: 1)
  --data-dir DIR  data directory (default: data/simulation); events already counted there are kept
  --port N        port of the server during the simulation (default: 0, any free port)
  --url URL       drive a running server that has this --data-dir and the sample catalogue, instead of starting one

Example: npm run simulate -- --days 30 --decisions 2000 --data-dir data/simulation
`;

export interface SimulateArguments {
  readonly decisions: number;
  readonly events: number;
  readonly days: number;
  readonly seed: number;
  readonly dataDir: string;
  readonly port: number;
  /** Address of a running server; undefined to start one. */
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

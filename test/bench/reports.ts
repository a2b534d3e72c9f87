import Table from 'cli-table3';
import type { SqliteDatabase } from '../../server/ledger/sqlite/sqlite-database.js';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openFileForReading } from '../../server/ledger/sqlite/sqlite-file.js';
import { report } from '../../server/reports/report.js';
import type { Dimension } from '../../server/reports/report-query.js';
import { fillMonth, MONTH } from './filled-month.js';

const INSTALLATION = { currency: 'USD', timeZone: 'UTC' };
const ROUNDS = 3;

interface Pair {
  readonly by: readonly Dimension[];
  /** The same report from the raw events: grouped by number, with names joined to the few remaining rows. */
  readonly raw: string;
}

const DAY = 'at / 86400000';
const PAIRS: readonly Pair[] = [
  { by: [], raw: sums('events.reason', '') },
  { by: ['day'], raw: sums(`${DAY} as day`, DAY) },
  { by: ['hour'], raw: sums('at / 3600000 as hour', 'at / 3600000') },
  { by: ['creative'], raw: named('creative', '') },
  { by: ['day', 'creative'], raw: named('creative', DAY) },
  { by: ['publisher'], raw: named('publisher', '') },
];

function sums(shown: string, by: string): string {
  return `select kind, reason, ${shown}, count(*), sum(price_micros) from events group by kind, reason${by && `, ${by}`}`;
}

function named(name: string, by: string): string {
  const inner = `select dimension_set, kind, reason, ${by || '0'} as span, count(*) as times, sum(price_micros) as micros
    from events group by 1, 2, 3, 4`;
  return `select ${name}, kind, reason, span, sum(times), sum(micros) from (${inner})
    join dimension_sets using (dimension_set) group by 1, 2, 3, 4`;
}

/**
 * Compares reports with the same sums over the raw events, alternating in one run on one file. The month is filled
 * through the ledger's own store with increasing ids, so the raw events are stored contiguously, which is their best
 * case.
 */
export async function benchReports(events = 200_000, progress: (line: string) => void = () => {}): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'adjacent-bench-'));
  const file = join(directory, 'ledger.sqlite');
  try {
    const filledIn = took(() => fillMonth(file, events));
    const bytes = statSync(file).size;
    progress(`filled with ${events} events in ${(filledIn / 1000).toFixed(0)} s, ${(bytes / 1e6).toFixed(0)} MB`);
    const database = openFileForReading(file);
    // Lets both sides read from memory as far as possible.
    database.file.pragma('mmap_size = 8589934592');
    const table = new Table({
      head: [`${events} events of 30 days`, 'report ms', 'raw ms', 'raw / report'],
      colAligns: ['left', 'right', 'right', 'right'],
      style: { head: [], border: [], compact: true },
    });
    for (const pair of PAIRS) {
      const [rolledUp, raw] = compare(database, pair);
      const name = pair.by.length === 0 ? 'total' : `by ${pair.by.join(' and ')}`;
      table.push([name, rolledUp.toFixed(1), raw.toFixed(0), (raw / rolledUp).toFixed(0)]);
    }
    database.close();
    return table.toString();
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function compare(database: SqliteDatabase, { by, raw }: Pair): [rolledUp: number, raw: number] {
  const scan = database.file.prepare(raw);
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    times[0].push(took(() => report(database, { by, test: false, ...MONTH }, INSTALLATION)));
    times[1].push(took(() => scan.all()));
  }
  return [median(times[0]), median(times[1])];
}

function took(work: () => unknown): number {
  const begin = performance.now();
  work();
  return performance.now() - begin;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1]!;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const events = Number(process.argv[2] ?? 10_000_000);
  process.stdout.write(`${await benchReports(events, (line) => process.stderr.write(`${line}\n`))}\n`);
}

import type { Database } from 'better-sqlite3';
import type { LedgerDatabase } from '../../server/ledger/ledger-database.js';
import { readInstallation } from '../../server/ledger/installation.js';
import { report } from '../../server/reports/report.js';
import { knownOfAccount } from './catalogue.js';
import type { Seen, Sums } from './seen.js';

/** Compares the number of events, and all that is summed up from them, with the events seen. */
export function sumDifferences(database: Database, seen: Seen, keptFrom: number): string[] {
  const expect = new Map<string, number>();
  const found = new Map<string, number>();
  const number = (query: string, ...values: unknown[]): number =>
    Number(
      database
        .prepare(query)
        .pluck()
        .get(...values),
    );
  const compare = (name: string, expected: number, stored: number): void => {
    expect.set(name, expected);
    found.set(name, stored);
  };
  const rows = (query: string): [string, number][] =>
    (database.prepare(query).raw().all() as unknown[][]).map((row) => [
      row.slice(0, -1).filter(Boolean).join(' '),
      Number(row.at(-1)),
    ]);

  const kept = seen.since(keptFrom);
  compare('events kept', kept.times, number('select count(*) from events where at >= ?', keptFrom));
  compare(
    'micros kept',
    kept.micros,
    number('select coalesce(sum(price_micros), 0) from events where at >= ?', keptFrom),
  );
  for (const grain of ['day', 'day-total', 'day-publisher', 'day-creative', 'quarter', 'quarter-total']) {
    const where = `from counters where grain = '${grain}' and counted <> 'decision'`;
    for (const reason of ['', 'test', 'over-budget']) {
      const times = number(`select coalesce(sum(times), 0) ${where} and reason = ?`, reason);
      compare(`${grain} counters (${reason})`, seen.byReason.get(reason) ?? 0, times);
    }
    compare(`${grain} micros`, seen.micros(), number(`select coalesce(sum(micros), 0) ${where}`));
  }
  const day = "date(day * 60, 'unixepoch')";
  return [
    ...sumsDiffer('figure', expect, found),
    ...sumsDiffer(
      'bills of',
      seen.byMonth,
      rows(
        'select advertiser, month, sum(times * price_micros) from billed join dimension_sets using (dimension_set) group by 1, 2',
      ),
    ),
    ...sumsDiffer(
      'spend of',
      withAdvertiser(seen.byAccount, (account) => account),
      rows('select advertiser, campaign, creative, sum(micros) from spend where day = -1 group by 1, 2, 3'),
    ),
    ...sumsDiffer(
      'spend of',
      withAdvertiser(seen.byAccountAndDay, (place) => place.slice(0, -11)),
      rows(`select advertiser, campaign, creative, ${day}, sum(micros) from spend where day <> -1 group by 1, 2, 3, 4`),
    ),
  ];
}

/** The report by day, publisher and creative, as the dashboard shows it. */
export function reportDifferences(database: LedgerDatabase, seen: Seen): string[] {
  const found: Sums = new Map();
  const by = ['day', 'publisher', 'creative'] as const;
  // A server that was killed early has not written it down yet.
  const installation = readInstallation(database) ?? { currency: 'USD', timeZone: 'UTC' };
  for (const { group, ...measures } of report(database, { by, test: false }, installation).rows) {
    for (const name of ['impressions', 'views', 'clicks', 'spendMicros'] as const) {
      const figure = Number(measures[name]);
      if (figure > 0) found.set(`${group.day} ${group.publisher} ${group.creative} ${name}`, figure);
    }
  }
  return sumsDiffer('report of', seen.report, found);
}

/** The ledger names an account that is a campaign by its advertiser too. */
function withAdvertiser(sums: Sums, accountOf: (place: string) => string): Sums {
  const name = (place: string): string => {
    const { campaign, advertiser } = knownOfAccount(accountOf(place));
    return campaign === null ? place : `${advertiser} ${place}`;
  };
  return new Map([...sums].map(([place, micros]) => [name(place), micros]));
}

function sumsDiffer(name: string, expected: Sums, stored: Iterable<readonly [string, number]>): string[] {
  const found = new Map(stored);
  const places = new Set([...expected.keys(), ...found.keys()]);
  return [...places]
    .filter((place) => (expected.get(place) ?? 0) !== (found.get(place) ?? 0))
    .map(
      (place) => `${name} ${place}: ${found.get(place) ?? 0} in the ledger, ${expected.get(place) ?? 0} by its events`,
    );
}

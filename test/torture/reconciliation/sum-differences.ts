import { sql } from '#kysely';
import type { LedgerDatabase } from '../../../server/ledger/tables/ledger-database.js';
import { ALL_DAYS } from '../../../server/ledger/tables/schema.js';
import { readAccountingBasis } from '../../../server/ledger/tables/accounting-basis.js';
import { report } from '../../../server/reports/report.js';
import { knownOfAccount } from '../calls/catalogue.js';
import { dateOf, type Seen, type Sums } from './seen.js';

/** Compares the number of stored events, and every total derived from them, with the events seen. */
export function sumDifferences(database: LedgerDatabase, seen: Seen, keptFrom: number): string[] {
  const expect = new Map<string, number>();
  const found = new Map<string, number>();
  const compare = (name: string, expected: number, stored: number | undefined): void => {
    expect.set(name, expected);
    found.set(name, stored ?? 0);
  };

  const kept = seen.since(keptFrom);
  const [events] = database.readAsNumbers(
    sql<{ times: number; micros: number }>`
      select count(*) as times, coalesce(sum(price_micros), 0) as micros from events where at >= ${keptFrom}`,
  );
  compare('events kept', kept.times, events?.times);
  compare('micros kept', kept.micros, events?.micros);
  const counters = database.readAsNumbers(
    sql<{ grain: string; reason: string; times: number; micros: number }>`
      select grain, reason, sum(times) as times, sum(micros) as micros from counters
      where counted <> 'decision' group by grain, reason`,
  );
  for (const grain of ['day', 'day-total', 'day-publisher', 'day-creative', 'quarter', 'quarter-total']) {
    const ofGrain = counters.filter((each) => each.grain === grain);
    for (const reason of ['', 'test', 'over-budget']) {
      const times = ofGrain.find((each) => each.reason === reason)?.times;
      compare(`${grain} counters (${reason})`, seen.byReason.get(reason) ?? 0, times);
    }
    const micros = ofGrain.reduce((sum, each) => sum + each.micros, 0);
    compare(`${grain} micros`, seen.micros(), micros);
  }
  const { ofAccounts, ofDays } = spendIn(database);
  return [
    ...sumsDiffer('figure', expect, found),
    ...sumsDiffer('bills of', seen.byMonth, billsIn(database)),
    ...sumsDiffer(
      'spend of',
      withAdvertiser(seen.byAccount, (account) => account),
      ofAccounts,
    ),
    ...sumsDiffer(
      'spend of',
      withAdvertiser(seen.byAccountAndDay, (key) => key.slice(0, -11)),
      ofDays,
    ),
  ];
}

/** Returns micros by advertiser and month. */
function billsIn(database: LedgerDatabase): Sums {
  const rows = database.readAsNumbers(
    sql<{ advertiser: string; month: number; micros: number }>`
      select advertiser, month, sum(times * price_micros) as micros
      from billed join dimension_sets using (dimension_set) group by advertiser, month`,
  );
  return new Map(rows.map(({ advertiser, month, micros }) => [`${advertiser} ${month}`, micros]));
}

/** Returns micros by account in total, and by account and day, as used for budget checks. */
function spendIn(database: LedgerDatabase): { readonly ofAccounts: Sums; readonly ofDays: Sums } {
  const rows = database.readAsNumbers(
    sql<{ advertiser: string; campaign: string; creative: string; day: number; micros: number }>`
      select advertiser, campaign, creative, day, sum(micros) as micros from spend
      group by advertiser, campaign, creative, day`,
  );
  const [ofAccounts, ofDays]: [Sums, Sums] = [new Map(), new Map()];
  for (const { advertiser, campaign, creative, day, micros } of rows) {
    const account = [advertiser, campaign, creative].filter((name) => name !== '').join(' ');
    if (day === ALL_DAYS) ofAccounts.set(account, micros);
    else ofDays.set(`${account} ${dateOf(day * 60_000)}`, micros);
  }
  return { ofAccounts, ofDays };
}

/** Compares the report by day, publisher and creative, as the dashboard shows it, with the events seen. */
export function reportDifferences(database: LedgerDatabase, seen: Seen): string[] {
  const found: Sums = new Map();
  const by = ['day', 'publisher', 'creative'] as const;
  // A server that was killed early has not stored its accounting basis yet.
  const basis = readAccountingBasis(database) ?? { currency: 'USD', timeZone: 'UTC' };
  for (const { group, ...measures } of report(database, { by, test: false }, basis).rows) {
    for (const name of ['impressions', 'views', 'clicks', 'spendMicros'] as const) {
      const figure = Number(measures[name]);
      if (figure > 0) found.set(`${group.day} ${group.publisher} ${group.creative} ${name}`, figure);
    }
  }
  return sumsDiffer('report of', seen.report, found);
}

/** Adds the advertiser to campaign accounts, as in the ledger. */
function withAdvertiser(sums: Sums, accountOf: (key: string) => string): Sums {
  const name = (key: string): string => {
    const { campaign, advertiser } = knownOfAccount(accountOf(key));
    return campaign === null ? key : `${advertiser} ${key}`;
  };
  return new Map([...sums].map(([key, micros]) => [name(key), micros]));
}

/** Describes each figure that differs. */
export function sumsDiffer(name: string, expected: Sums, stored: Iterable<readonly [string, number]>): string[] {
  const found = new Map(stored);
  const keys = new Set([...expected.keys(), ...found.keys()]);
  return [...keys]
    .filter((key) => (expected.get(key) ?? 0) !== (found.get(key) ?? 0))
    .map((key) => `${name} ${key}: ${found.get(key) ?? 0} in the ledger, ${expected.get(key) ?? 0} by its events`);
}

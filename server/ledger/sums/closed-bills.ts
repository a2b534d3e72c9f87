import { type LedgerDatabase, queries } from '../tables/ledger-database.js';

/** The raw events do not add up to what an advertiser's closed month has billed; the message names the month. */
export class ClosedMonthError extends Error {
  override readonly name = 'ClosedMonthError';
}

/** Returns what every closed month of an advertiser has billed, line by line. */
export function closedBills(database: LedgerDatabase): ReadonlyMap<string, string> {
  const bills = queries
    .selectFrom('closed_months')
    .innerJoin('dimension_sets', 'dimension_sets.advertiser', 'closed_months.advertiser')
    .innerJoin('billed', (join) =>
      join
        .onRef('billed.dimension_set', '=', 'dimension_sets.dimension_set')
        .onRef('billed.month', '=', 'closed_months.month'),
    )
    .select(['closed_months.advertiser', 'billed.month', 'day', 'billed.dimension_set', 'kind', 'price_micros'])
    .select(({ fn }) => fn.sum<number>('times').as('times'))
    .groupBy(['closed_months.advertiser', 'billed.month', 'day', 'billed.dimension_set', 'kind', 'price_micros'])
    .orderBy('day')
    .orderBy('billed.dimension_set')
    .orderBy('kind')
    .orderBy('price_micros');
  const months = new Map<string, string>();
  for (const { advertiser, month, ...line } of database.run(bills)) {
    const key = `${month} of ${advertiser === '' ? 'no advertiser' : advertiser}`;
    months.set(key, `${months.get(key) ?? ''}${Object.values(line).join('/')}\n`);
  }
  return months;
}

/** @throws ClosedMonthError when the bills of a closed month have changed */
export function refuseOtherBills(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): void {
  for (const month of new Set([...before.keys(), ...after.keys()])) {
    if (before.get(month) === after.get(month)) continue;
    throw new ClosedMonthError(
      `month ${month} is closed and would be billed differently: raw events are missing or were changed. Nothing was rebuilt; restore a copy that has them`,
    );
  }
}

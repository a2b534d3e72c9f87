import { queries, type LedgerDatabase, type Query } from '../tables/ledger-database.js';
import { sql } from '#kysely';
import { printable } from '../../../platform/text/printable.js';
import { MINUTE } from '../../../platform/time/durations.js';

/** The sums that a table holds, and those that it should hold. */
export interface SumComparison {
  readonly table: string;
  /** Columns that identify a row. `keys` and then `values` are in the order of the queries' columns. */
  readonly keys: readonly string[];
  /** Columns that are summed. */
  readonly values: readonly string[];
  /** Queries whose sums the table should hold. */
  readonly derived: readonly Query[];
  readonly stored: Query;
}

/** More differences in one table would not help. */
const MAX = 20;

/**
 * Adds up both sides by key and compares them.
 *
 * @param database with integers as bigint
 * @returns one sentence per key whose sums differ, such as `billed day 2026-11-21, …: times 2, should be 3`
 */
export function differencesOf(database: LedgerDatabase, comparison: SumComparison): string[] {
  const { table, keys, values, derived, stored } = comparison;
  const columns = sql.raw([...keys, ...values].join(', '));
  const zeros = values.map(() => 0).join(', ');
  const sums = values.map((value) => `sum(${value}) as ${value}, sum(stored_${value}) as stored_${value}`).join(', ');
  const unequal = values.map((value) => `sum(${value}) <> sum(stored_${value})`).join(' or ');
  const sides = derived.map((query, position) => sql`select * from ${query} as ${sql.raw(`side_${position}`)}`);
  const rows = database.readAsBigints(sql<Record<string, bigint | string>>`
    with derived (${columns}) as (${sql.join(sides, sql.raw(' union all '))}),
     stored (${columns}) as ${stored},
     compared (${columns}, ${sql.raw(values.map((value) => `stored_${value}`).join(', '))}) as (
       select ${columns}, ${sql.raw(zeros)} from derived
       union all select ${sql.raw(keys.join(', '))}, ${sql.raw(zeros)}, ${sql.raw(values.join(', '))} from stored)
     select ${sql.raw(keys.join(', '))}, ${sql.raw(sums)} from compared
     group by ${sql.raw(keys.join(', '))} having ${sql.raw(unequal)} limit ${sql.lit(MAX + 1)}`);
  const nameOf = createNames(database);
  const sentences = rows.slice(0, MAX).map((row) => {
    const which = keys.filter((key) => row[key] !== '').map((key) => shown(key, row[key]!, nameOf));
    const wrong = values
      .filter((value) => row[value] !== row[`stored_${value}`])
      .map((value) => `${value} ${row[`stored_${value}`]}, should be ${row[value]}`);
    return `${table} ${which.join(', ')}: ${wrong.join('; ')}`;
  });
  return rows.length > MAX ? [...sentences, `${table}: and more`] : sentences;
}

function shown(key: string, value: bigint | string, nameOf: (set: bigint) => string): string {
  if (key === 'dimension_set') return nameOf(value as bigint);
  if (typeof value === 'string') return `${key} "${printable(value)}"`;
  if (key === 'start') return `${key} ${new Date(Number(value) * MINUTE).toISOString()}`;
  if (key !== 'day') return `${key} ${value}`;
  return value < 0n ? 'all days' : `day ${new Date(Number(value) * MINUTE).toISOString().slice(0, 10)}`;
}

/** Returns a function that describes a dimension set by its names. */
function createNames(database: LedgerDatabase): (set: bigint) => string {
  return (set) => {
    const [found] = database.run(
      queries
        .selectFrom('dimension_sets')
        .select(['publisher', 'advertiser', 'campaign', 'creative'])
        .where('dimension_set', '=', Number(set)),
    );
    const names = Object.entries(found ?? { set }).filter(([, name]) => name !== '');
    return names.map(([dimension, name]) => `${dimension} "${printable(String(name))}"`).join(', ') || 'no names';
  };
}

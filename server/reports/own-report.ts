import type { Party, PartyKind } from '../domain/party.js';
import type { AccountingBasis } from '../ledger/tables/accounting-basis.js';
import type { LedgerDatabase } from '../ledger/tables/ledger-database.js';
import type { Measures } from './measures.js';
import { MEASURE_VALUES, orderedRows, readOrder } from './order.js';
import { ReportQueryError } from './period.js';
import { report } from './report.js';
import type { Dimension, Group } from './report-query.js';

/** What a party may group its figures by: never by the other kind of party's secrets. */
export const OWN_DIMENSIONS = {
  advertiser: ['day', 'campaign', 'creative'],
  publisher: ['day', 'advertiser', 'creative'],
} as const satisfies Readonly<Record<PartyKind, readonly Dimension[]>>;

const VALUES = {
  ...MEASURE_VALUES,
  voided: ({ voided }) => voided,
  credits: ({ creditMicros }) => creditMicros,
} as const satisfies Readonly<Record<string, (measures: Measures) => number | bigint | null>>;

export type OwnMeasure = keyof typeof VALUES;

/** What a party sees of its events. A publisher sees no money: prices are the advertisers' affair. */
export const OWN_MEASURES = {
  advertiser: ['fills', 'impressions', 'views', 'clicks', 'ctr', 'spend', 'ecpm', 'voided', 'credits'],
  publisher: ['decisions', 'fills', 'fillRate', 'impressions', 'views', 'clicks', 'ctr', 'voided'],
} as const satisfies Readonly<Record<PartyKind, readonly OwnMeasure[]>>;

export interface OwnQuery {
  readonly party: Party;
  /** Dimensions of `OWN_DIMENSIONS`, at least one. */
  readonly by: readonly Dimension[];
  /** First and last date. */
  readonly from: string;
  readonly to: string;
}

/** Values by measure, only of those that the party may see. Amounts are bigints, in micros. */
export type OwnValues = Readonly<Partial<Record<OwnMeasure, number | bigint | null>>>;

/** What a party may see of a report. */
export interface OwnReport extends OwnQuery {
  readonly timeZone: string;
  /** Null: it has no amounts. */
  readonly currency: string | null;
  /** Latest days first, else most impressions. */
  readonly rows: readonly { readonly group: Group; readonly values: OwnValues }[];
  readonly total: OwnValues;
}

/**
 * Makes a report of a party's own billed traffic. The filter by the party is part of the query, and this is the only
 * report that advertisers and publishers get.
 *
 * @throws ReportQueryError for a dimension that the party may not see
 */
export function ownReport(database: LedgerDatabase, query: OwnQuery, basis: AccountingBasis): OwnReport {
  const { party, by, from, to } = query;
  requireOwn(by, party);
  const where = { [party.kind]: party.name };
  const made = report(database, { by, where, from, to, test: false }, basis);
  const measures: readonly OwnMeasure[] = OWN_MEASURES[party.kind];
  const valuesOf = (of: Measures): OwnValues =>
    Object.fromEntries(measures.map((measure) => [measure, VALUES[measure](of)]));
  return {
    party,
    by,
    from,
    to,
    timeZone: made.timeZone,
    currency: measures.includes('spend') ? made.currency : null,
    // Never by a measure that the party does not see: the order would tell it.
    rows: orderedRows(made, readOrder('', by)).map((row) => ({
      group: Object.fromEntries(by.map((dimension) => [dimension, row.group[dimension] ?? null])),
      values: valuesOf(row),
    })),
    total: valuesOf(made.total),
  };
}

/** @throws ReportQueryError naming the dimensions there are; Error for a party without a name, which would be others' */
function requireOwn(by: readonly Dimension[], { kind, name }: Party): void {
  // An empty filter would select the rows without a name.
  if (name === '') throw new Error('a party must have a name');
  const own: readonly Dimension[] = OWN_DIMENSIONS[kind];
  if (by.length === 0 || !by.every((dimension) => own.includes(dimension)))
    throw new ReportQueryError(`"by" must be one of ${own.join(', ')}`);
}

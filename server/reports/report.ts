import type { LedgerDatabase } from '../ledger/tables/ledger-database.js';
import { canonicalTimeZone, createCalendar, type Calendar } from '../../platform/time/calendar.js';
import { readAccountingBasis, type AccountingBasis } from '../ledger/tables/accounting-basis.js';
import { VOIDED } from '../ledger/tables/schema.js';
import { countersOf } from './counters.js';
import { addCounter, measuresOf, emptySums, type Counter, type Measures, type Sums } from './measures.js';
import { readPeriod, ReportQueryError } from './period.js';
import { type Dimension, type Filters, type Group, type ReportQuery, requireStorable } from './report-query.js';

export interface ReportRow extends Measures {
  readonly group: Group;
}

export interface Report {
  readonly by: readonly Dimension[];
  readonly timeZone: string;
  readonly currency: string;
  /** RFC 3339; null: unbounded. The end is exclusive. */
  readonly from: string | null;
  readonly to: string | null;
  readonly test: boolean;
  readonly where: Filters;
  readonly rows: readonly ReportRow[];
  readonly total: Measures;
  /** Decisions and events of the period that the report omits because they are (or are not) test traffic. */
  readonly leftOut: number;
}

/**
 * Makes a report. It scans the coarsest counters that can answer the query, never the events.
 *
 * @param database from `openForReading`
 * @param basis the currency and time zone of a ledger that has none yet
 * @throws ReportQueryError for an invalid period, time zone or name
 */
export function report(database: LedgerDatabase, query: ReportQuery, basis: AccountingBasis): Report {
  const counting = readAccountingBasis(database) ?? basis;
  const calendar = calendarOf(query.timeZone ?? counting.timeZone);
  const period = readPeriod(query.from, query.to, calendar);
  const rows = new Map<string, { group: Group; sums: Sums }>();
  const total = emptySums();
  let leftOut = 0;
  const { where = {} } = query;
  requireStorable(Object.values(where).flat());
  const by = withAdvertiser(query.by);
  const isImplied = by.length > query.by.length;
  const sumsOf = (counted: Group): Sums => {
    const group = isImplied && counted.campaign === null ? { ...counted, advertiser: null } : counted;
    const key = by.map((dimension) => JSON.stringify(group[dimension])).join();
    const known = rows.get(key) ?? { group, sums: emptySums() };
    rows.set(key, known);
    return known.sums;
  };
  let row: { of: Group; sums: Sums } | undefined;

  for (const counter of countersOf(database, { by, where, period, calendar, ledgerZone: counting.timeZone })) {
    if (counter.test !== query.test) {
      if (!isCountedTwice(counter)) leftOut += counter.times;
      continue;
    }
    if (row?.of !== counter.group) row = { of: counter.group, sums: sumsOf(counter.group) };
    addCounter(row.sums, counter);
    addCounter(total, counter);
  }
  return {
    by,
    where,
    timeZone: calendar.timeZone,
    currency: counting.currency,
    from: period.from === null ? null : new Date(period.from).toISOString(),
    to: period.to === null ? null : new Date(period.to).toISOString(),
    test: query.test,
    rows: by.length === 0 ? [] : sorted(rows.values(), by),
    total: measuresOf(total),
    leftOut,
  };
}

/** Voided events were counted before, and the decisions by language repeat those without a language. */
function isCountedTwice({ counted, reason }: Counter): boolean {
  return reason === VOIDED || counted === 'fill-in' || counted === 'no-fill-in';
}

/**
 * Adds the advertiser to a report by campaign, since two advertisers may use the same campaign name. Rows without a
 * campaign do not need it.
 */
function withAdvertiser(by: readonly Dimension[]): readonly Dimension[] {
  if (by.includes('advertiser') || !by.includes('campaign')) return by;
  return by.flatMap((dimension) => (dimension === 'campaign' ? ['advertiser', dimension] : [dimension]));
}

function calendarOf(timeZone: string): Calendar {
  if (canonicalTimeZone(timeZone) === undefined) {
    throw new ReportQueryError(`the time zone must be an IANA name such as UTC or Europe/Berlin, not "${timeZone}"`);
  }
  return createCalendar(timeZone);
}

function sorted(rows: Iterable<{ group: Group; sums: Sums }>, by: readonly Dimension[]): ReportRow[] {
  return [...rows]
    .map(({ group, sums }) => ({
      row: Object.assign(measuresOf(sums), { group }),
      // At the end of summer time, two hours differ only in their offset.
      order: by.map((dimension) => (dimension === 'hour' ? Date.parse(group.hour!) : (group[dimension] ?? ''))),
    }))
    .toSorted(({ order: one }, { order: other }) => {
      for (const [place, left] of one.entries()) if (left !== other[place]) return left < other[place]! ? -1 : 1;
      return 0;
    })
    .map(({ row }) => row);
}

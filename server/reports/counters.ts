import { sql } from '#kysely';
import type { Calendar } from '../../platform/time/calendar.js';
import { MINUTE } from '../../platform/time/durations.js';
import { type LedgerDatabase, queries } from '../ledger/tables/ledger-database.js';
import { dayStart, DETAILS, ROLL_UPS, type Detail, type RollUp } from '../ledger/tables/roll-ups.js';
import type { Counted } from '../ledger/tables/schema.js';
import type { Counter } from './measures.js';
import type { Period } from './period.js';
import { NAMES, type Dimension, type Filters, type Group, type Name } from './report-query.js';

export interface GroupedCounter extends Counter {
  readonly group: Group;
  readonly test: boolean;
}

/** The counters to read, and the calendar of hours and days. */
export interface Selection {
  readonly by: readonly Dimension[];
  readonly where: Filters;
  readonly period: Period;
  readonly calendar: Calendar;
  /** The time zone of the ledger's own days. */
  readonly ledgerZone: string;
}

/**
 * Yields the counters of a period. Consecutive counters of the same group share one `group` object. Hours and days
 * follow from `start`.
 */
export function* countersOf(database: LedgerDatabase, selection: Selection): Generator<GroupedCounter> {
  const { by, calendar } = selection;
  const rollUp = rollUpFor(selection);
  const names = new Map<number, Names>();
  let [group, test, lastStart, lastSet]: [Group, boolean, number, number] = [{}, false, NaN, NaN];

  for (const rows of database.readInChunks(select(selection, rollUp).$castTo<Row>())) {
    learnNames(database, names, rows);
    for (const { start, dimension_set: set, counted, reason, times, micros } of rows) {
      if (set !== lastSet || start !== lastStart) {
        [lastStart, lastSet] = [start, set];
        const who = names.get(set)!;
        const values = by.map((dimension) => [dimension, valueOf(dimension, start, who, rollUp, calendar)]);
        [group, test] = [Object.fromEntries(values) as Group, who.test === 1];
      }
      yield { group, test, counted, reason, times, micros: micros === '0' ? 0n : BigInt(micros) };
    }
  }
}

/** Integers are numbers, which is faster; micros are text, since their sums may exceed what a number holds. */
interface Row {
  readonly start: number;
  readonly dimension_set: number;
  readonly counted: Counted;
  readonly reason: string;
  readonly times: number;
  readonly micros: string;
}

type Names = Readonly<Record<Name, string>> & { readonly test: number };

function learnNames(database: LedgerDatabase, names: Map<number, Names>, rows: readonly Row[]): void {
  const unknown = [...new Set(rows.map((row) => row.dimension_set))].filter((set) => !names.has(set));
  if (unknown.length === 0) return;
  const found = queries
    .selectFrom('dimension_sets')
    .select(['dimension_set', ...NAMES, 'test'])
    .where('dimension_set', 'in', unknown);
  for (const { dimension_set: set, ...who } of database.readAsNumbers(found)) names.set(set, who);
}

/** Returns the cheapest roll-up that distinguishes everything the query needs. */
function rollUpFor(selection: Selection): RollUp {
  const span = spanFor(selection);
  const asked = NAMES.filter((name) => selection.by.includes(name) || selection.where[name] !== undefined);
  const distinguishes = (detail: Detail): boolean =>
    asked.every((name) => (DETAILS[detail] as readonly Name[]).includes(name));
  return ROLL_UPS.find((rollUp) => rollUp.span === span && distinguishes(rollUp.detail))!;
}

/**
 * Returns the widest span that fits the query. Counters of days are in the ledger's own time zone: they fit if the
 * period splits no day and the query does not need days of another zone.
 */
function spanFor({ by, period: { from, to }, calendar, ledgerZone }: Selection): RollUp['span'] {
  if (by.includes('hour')) return 'quarter';
  const wholeDays = [from, to].every(
    (moment) => moment === null || calendar.startOf(calendar.dateOf(moment)) === moment,
  );
  const zoneMatters = by.includes('day') || from !== null || to !== null;
  return wholeDays && (!zoneMatters || calendar.timeZone === ledgerZone) ? 'day' : 'quarter';
}

function bounds({ period: { from, to }, calendar }: Selection, { span }: RollUp): { least: number; below: number } {
  const start = (moment: number): number => (span === 'day' ? dayStart(calendar.dateOf(moment)) : moment / MINUTE);
  return { least: from === null ? 0 : start(from), below: to === null ? Number.MAX_SAFE_INTEGER : start(to) };
}

function select(selection: Selection, rollUp: RollUp) {
  const { by, where } = selection;
  const { least, below } = bounds(selection, rollUp);
  let sets = queries.selectFrom('dimension_sets').select('dimension_set');
  for (const name of NAMES) {
    if (where[name] !== undefined) sets = sets.where(name, 'in', [where[name]].flat());
  }
  let counters = queries
    .selectFrom('counters')
    .where('grain', '=', rollUp.grain)
    .where('start', '>=', least)
    .where('start', '<', below);
  if (Object.keys(where).length > 0) counters = counters.where('dimension_set', 'in', sets);
  if (by.includes('hour') || by.includes('day')) {
    // In the order of the primary key, by time and dimension set, without grouping.
    return counters.select([
      'start',
      'dimension_set',
      'counted',
      'reason',
      'times',
      sql<string>`cast(micros as text)`.as('micros'),
    ]);
  }
  return counters
    .select([sql<number>`0`.as('start'), 'dimension_set', 'counted', 'reason'])
    .select(({ fn }) => [fn.sum('times').as('times'), sql<string>`cast(sum(micros) as text)`.as('micros')])
    .groupBy(['dimension_set', 'counted', 'reason']);
}

function valueOf(
  dimension: Dimension,
  start: number,
  names: Names,
  { span }: RollUp,
  calendar: Calendar,
): string | null {
  if (dimension !== 'hour' && dimension !== 'day') return names[dimension] || null;
  const moment = start * MINUTE;
  if (dimension === 'hour') return calendar.hourOf(moment);
  return span === 'day' ? new Date(moment).toISOString().slice(0, 10) : calendar.dateOf(moment);
}

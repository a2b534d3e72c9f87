import type { Database } from 'better-sqlite3';
import type { Calendar } from '../ledger/calendar.js';
import { queries, run } from '../ledger/database.js';
import { DETAILS, ROLL_UPS, type Detail, type RollUp } from '../ledger/roll-ups.js';
import type { Counted } from '../ledger/schema.js';
import type { Counter } from './measures.js';
import type { Period } from './period.js';
import { NAMES, type Dimension, type Filters, type Group, type Name } from './report-query.js';

const MINUTE = 60_000;

export interface GroupedCounter extends Counter {
  readonly group: Group;
  readonly test: boolean;
}

/** What is to be read, and in which calendar. */
export interface Selection {
  readonly by: readonly Dimension[];
  readonly where: Filters;
  readonly period: Period;
  readonly calendar: Calendar;
  /** The time zone of the ledger's own days. */
  readonly ledgerZone: string;
}

/** The counters of a period, added up by dimension as far as SQL can; hours and days are told from `start`. */
export function* countersOf(database: Database, selection: Selection): Generator<GroupedCounter> {
  const { by, calendar } = selection;
  const rollUp = rollUpFor(selection);
  for (const row of run<Row>(database, select(selection, rollUp))) {
    const { test, counted, reason, times, micros } = row;
    const group: Partial<Record<Dimension, string | null>> = {};
    for (const dimension of by) group[dimension] = valueOf(dimension, row, rollUp, calendar);
    yield { group, test: test === 1n, counted, reason, times: Number(times), micros };
  }
}

interface Row extends Partial<Record<Name, string>> {
  readonly start?: bigint;
  readonly test: bigint;
  readonly counted: Counted;
  readonly reason: string;
  readonly times: bigint;
  readonly micros: bigint;
}

/** The cheapest roll-up that tells apart what is asked for. */
function rollUpFor(selection: Selection): RollUp {
  const span = spanFor(selection);
  const asked = NAMES.filter((name) => selection.by.includes(name) || selection.where[name] !== undefined);
  const tells = (detail: Detail): boolean => asked.every((name) => (DETAILS[detail] as readonly Name[]).includes(name));
  return ROLL_UPS.find((rollUp) => rollUp.span === span && tells(rollUp.detail))!;
}

/** Days were counted in the ledger's own time zone: they answer when no day is split and none is asked for in another zone. */
function spanFor({ by, period: { from, to }, calendar, ledgerZone }: Selection): RollUp['span'] {
  if (by.includes('hour')) return 'quarter';
  const wholeDays = [from, to].every(
    (moment) => moment === null || calendar.startOf(calendar.dateOf(moment)) === moment,
  );
  const zoneMatters = by.includes('day') || from !== null || to !== null;
  return wholeDays && (!zoneMatters || calendar.timeZone === ledgerZone) ? 'day' : 'quarter';
}

function bounds({ period: { from, to }, calendar }: Selection, { span }: RollUp): { least: number; below: number } {
  const start = (moment: number): number => (span === 'day' ? Date.parse(calendar.dateOf(moment)) : moment) / MINUTE;
  return { least: from === null ? 0 : start(from), below: to === null ? Number.MAX_SAFE_INTEGER : start(to) };
}

function select(selection: Selection, rollUp: RollUp) {
  const { by, where } = selection;
  const { least, below } = bounds(selection, rollUp);
  const names = NAMES.filter((name) => by.includes(name));
  const byTime = by.includes('hour') || by.includes('day');
  const columns = [
    'test' as const,
    'counted' as const,
    'reason' as const,
    ...names,
    ...(byTime ? ['start' as const] : []),
  ];
  let query = queries
    .selectFrom('counters')
    .innerJoin('placements', 'placements.placement', 'counters.placement')
    .where('grain', '=', rollUp.grain)
    .where('start', '>=', least)
    .where('start', '<', below);
  for (const name of NAMES) if (where[name] !== undefined) query = query.where(name, 'in', [where[name]].flat());
  return query
    .select(columns)
    .select(({ fn }) => [fn.sum('times').as('times'), fn.sum('micros').as('micros')])
    .groupBy(columns) as unknown as Parameters<typeof run<Row>>[1];
}

function valueOf(dimension: Dimension, row: Row, { span }: RollUp, calendar: Calendar): string | null {
  if (dimension !== 'hour' && dimension !== 'day') return row[dimension] || null;
  const moment = Number(row.start) * MINUTE;
  if (dimension === 'hour') return calendar.hourOf(moment);
  return span === 'day' ? new Date(moment).toISOString().slice(0, 10) : calendar.dateOf(moment);
}

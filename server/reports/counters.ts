import type { Database } from 'better-sqlite3';
import type { Calendar } from '../ledger/calendar.js';
import { queries, run } from '../ledger/database.js';
import type { Counted, Grain } from '../ledger/schema.js';
import type { Counter } from './measures.js';
import type { Period } from './period.js';
import type { Dimension, Group } from './report-query.js';

const MINUTE = 60_000;
const NAMES = ['publisher', 'advertiser', 'campaign', 'creative'] as const;

export interface GroupedCounter extends Counter {
  readonly group: Group;
  readonly test: boolean;
}

/** The counters of a period, added up by dimension as far as SQL can; hours and days are told from `start`. */
export function* countersOf(
  database: Database,
  by: readonly Dimension[],
  period: Period,
  calendar: Calendar,
  ledgerZone: string,
): Generator<GroupedCounter> {
  const grain = grainOf(by, period, calendar, ledgerZone);
  const names = NAMES.filter((name) => by.includes(name));
  const byTime = by.includes('hour') || by.includes('day');

  for (const row of run<Row>(database, select(names, byTime, grain, bounds(period, grain, calendar)))) {
    const { test, counted, reason, times, micros } = row;
    const group: Partial<Record<Dimension, string | null>> = {};
    for (const dimension of by) group[dimension] = valueOf(dimension, row, grain, calendar);
    yield { group, test: test === 1n, counted, reason, times: Number(times), micros };
  }
}

interface Row extends Partial<Record<(typeof NAMES)[number], string>> {
  readonly start?: bigint;
  readonly test: bigint;
  readonly counted: Counted;
  readonly reason: string;
  readonly times: bigint;
  readonly micros: bigint;
}

/** Days were counted in the ledger's own time zone: they answer when no day is split and none is asked for in another zone. */
function grainOf(by: readonly Dimension[], { from, to }: Period, calendar: Calendar, ledgerZone: string): Grain {
  if (by.includes('hour')) return 'quarter';
  const wholeDays = [from, to].every(
    (moment) => moment === null || calendar.startOf(calendar.dateOf(moment)) === moment,
  );
  const zoneMatters = by.includes('day') || from !== null || to !== null;
  return wholeDays && (!zoneMatters || calendar.timeZone === ledgerZone) ? 'day' : 'quarter';
}

function bounds({ from, to }: Period, grain: Grain, calendar: Calendar): { least: number; below: number } {
  const start = (moment: number): number => (grain === 'day' ? Date.parse(calendar.dateOf(moment)) : moment) / MINUTE;
  return { least: from === null ? 0 : start(from), below: to === null ? Number.MAX_SAFE_INTEGER : start(to) };
}

function select(
  names: readonly (typeof NAMES)[number][],
  byTime: boolean,
  grain: Grain,
  { least, below }: ReturnType<typeof bounds>,
) {
  const columns = [
    'test' as const,
    'counted' as const,
    'reason' as const,
    ...names,
    ...(byTime ? ['start' as const] : []),
  ];
  return queries
    .selectFrom('counters')
    .innerJoin('placements', 'placements.placement', 'counters.placement')
    .where('grain', '=', grain)
    .where('start', '>=', least)
    .where('start', '<', below)
    .select(columns)
    .select(({ fn }) => [fn.sum('times').as('times'), fn.sum('micros').as('micros')])
    .groupBy(columns) as unknown as Parameters<typeof run<Row>>[1];
}

function valueOf(dimension: Dimension, row: Row, grain: Grain, calendar: Calendar): string | null {
  if (dimension !== 'hour' && dimension !== 'day') return row[dimension] || null;
  const moment = Number(row.start) * MINUTE;
  if (dimension === 'hour') return calendar.hourOf(moment);
  return grain === 'day' ? new Date(moment).toISOString().slice(0, 10) : calendar.dateOf(moment);
}

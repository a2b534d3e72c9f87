import { sql, type RawBuilder } from '#kysely';
import { addDays, type Calendar } from '../../../platform/time/calendar.js';
import { monthOf } from '../../domain/billing-month.js';
import type { CalendarSql } from '../tables/ledger-database.js';
import type { PostgresConnection } from './postgres-connection.js';
import { dayStart } from '../tables/roll-ups.js';

/**
 * Uses this server's calendar, since PostgreSQL's time zone data may be of another year. The query contains the days as
 * arrays, in which `width_bucket` finds a moment's position.
 */
export function postgresCalendar(connection: PostgresConnection, calendar: Calendar): CalendarSql {
  const dates = datesStored(connection, calendar);
  const starts = dates.map((date) => calendar.startOf(date));
  const lookUp = (values: readonly number[], moment: RawBuilder<number>): RawBuilder<number> =>
    sql<number>`(${arrayOf(values)})[width_bucket(${moment}, ${arrayOf(starts)})]`;
  return {
    dayOf: (minute) => lookUp(dates.map(dayStart), sql<number>`(${minute}) * 60000`),
    monthAt: (moment) =>
      lookUp(
        dates.map((date) => monthOf(date)),
        moment,
      ),
  };
}

/** Returns every date from the first to the last quarter of an hour or event stored; at least one date. */
function datesStored(connection: PostgresConnection, calendar: Calendar): string[] {
  const [{ rows } = { rows: [] }] = connection.send([{ text: BOUNDS }], false);
  const [first, last] = rows[0] as [number | null, number | null];
  const dates = [calendar.dateOf(first ?? 0)];
  const end = calendar.dateOf(last ?? 0);
  while (dates.at(-1)! < end) dates.push(addDays(dates.at(-1)!, 1));
  return dates;
}

const BOUNDS = `
  select min(moment), max(moment) from (
    select min(at) as moment from events union all select max(at) from events
    union all select min(start) * 60000 from counters where grain = 'quarter'
    union all select max(start) * 60000 from counters where grain = 'quarter') as bounds`;

function arrayOf(numbers: readonly number[]): RawBuilder<unknown> {
  return sql.raw(`'{${numbers.join()}}'::bigint[]`);
}

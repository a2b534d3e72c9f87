import type pg from 'pg';

/**
 * How far a clock is ahead of the database's, in milliseconds; negative: behind. Right to half of the time that the answer took.
 *
 * @param clock the machine's, epoch milliseconds
 */
export async function clockAhead(pool: Pick<pg.Pool, 'query'>, clock: () => number = Date.now): Promise<number> {
  const asked = clock();
  const { rows } = await pool.query<{ now: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
  );
  return (asked + clock()) / 2 - rows[0]!.now;
}

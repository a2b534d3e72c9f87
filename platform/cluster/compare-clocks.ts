import type pg from 'pg';

/** Each node dates ads and events by its own clock. Other nodes reject those of a node whose clock is minutes ahead. */
const MAX_DIFFERENCE_MS = 60_000;

interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/**
 * Returns a check that warns once while this machine's clock and the database's differ by more than a minute. It cannot
 * determine which of the two is wrong.
 *
 * @param clock this machine's clock, epoch milliseconds
 */
export function compareClocks(
  pool: Pick<pg.Pool, 'query'>,
  log: Log,
  clock: () => number = Date.now,
): () => Promise<void> {
  let apart = false;
  return async () => {
    const asked = clock();
    const { rows } = await pool.query<{ now: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
    );
    // Accurate to half of the query's duration.
    const aheadMs = Math.round((asked + clock()) / 2 - rows[0]!.now);
    const isApart = Math.abs(aheadMs) > MAX_DIFFERENCE_MS;
    if (isApart && !apart) log.warn({ aheadMs }, 'this machine’s clock and the database’s differ');
    if (!isApart && apart) log.info({ aheadMs }, 'the machine’s clock and the database’s agree again');
    apart = isApart;
  };
}

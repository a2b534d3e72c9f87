import type pg from 'pg';

/** Ads and events are dated by each node's clock: those of one that is minutes ahead are not taken by the others. */
const MOST_APART_MS = 60_000;

interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/**
 * A look that warns once while the machine's clock and the database's are more than a minute apart: which of them is wrong, it cannot
 * know.
 *
 * @param clock the machine's, epoch milliseconds
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
    // Right to half of the time that the answer took.
    const aheadMs = Math.round((asked + clock()) / 2 - rows[0]!.now);
    const isApart = Math.abs(aheadMs) > MOST_APART_MS;
    if (isApart && !apart) log.warn({ aheadMs }, 'the machine’s clock is not the database’s');
    if (!isApart && apart) log.info({ aheadMs }, 'the machine’s clock and the database’s agree again');
    apart = isApart;
  };
}

import type { Pool, QueryResultRow } from 'pg';
import { SearchUnavailableError } from '../index/catalogue-search.js';
import { isDatabaseUnreachable } from '../../platform/cluster/database-unreachable.js';

/** While the database is unreachable, one query per this interval tries it; all others fail at once. */
const RETRY_MS = 500;

export interface QueryRunnerOptions {
  readonly pool: Pool;
  readonly log: { info(details: object, message: string): void; error(details: object, message: string): void };
}

/** Runs search queries in the database. Every failure becomes a `SearchUnavailableError` and is logged once. */
export interface QueryRunner {
  /** Runs a query. @throws SearchUnavailableError */
  run<R extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<readonly R[]>;
}

export function createQueryRunner({ pool, log }: QueryRunnerOptions): QueryRunner {
  /** Message of the last failure; null if the last query succeeded. */
  let fault: string | null = null;
  /** Whether the connection failed, and when the next query may try again, by `performance.now`. */
  let unreachable = false;
  let nextTry = 0;
  /** Time of the last result. */
  let lastSuccess = -Infinity;
  return {
    async run<R extends QueryResultRow>(sql: string, values: readonly unknown[]) {
      const startedAt = performance.now();
      if (unreachable) {
        if (startedAt < nextTry) throw new SearchUnavailableError();
        // Other queries fail at once while this one tries.
        nextTry = startedAt + RETRY_MS;
      }
      try {
        const { rows } = await pool.query<R>(sql, [...values]);
        if (fault !== null) log.info({}, 'vector search in the database works again');
        [fault, unreachable, lastSuccess] = [null, false, performance.now()];
        return rows;
      } catch (error) {
        // If other queries succeeded meanwhile, all connections were merely busy, and the next query may get one.
        if (isDatabaseUnreachable(error) && lastSuccess > startedAt) throw new SearchUnavailableError(error);
        unreachable = isDatabaseUnreachable(error);
        if (unreachable) nextTry = performance.now() + RETRY_MS;
        const message = String(error);
        if (fault !== message)
          log.error({ err: error }, 'vector search in the database fails; matches that need it get a 503');
        fault = message;
        throw new SearchUnavailableError(error);
      }
    },
  };
}

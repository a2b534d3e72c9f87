import type { Pool, QueryResultRow } from 'pg';
import { SearchUnavailableError } from '../index/catalogue-search.js';
import { isDatabaseAway } from '../../platform/cluster/database-away.js';

/** Whoever asks while the database is away is refused at once, but for one in so many milliseconds, who tries. */
const REST_MS = 500;

export interface QuestionsOptions {
  readonly pool: Pool;
  readonly log: { info(details: object, message: string): void; error(details: object, message: string): void };
}

/** Asks the database for searches; any fault is a `SearchUnavailableError`, told to the log once. */
export interface Questions {
  /** @throws SearchUnavailableError */
  ask<R extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<readonly R[]>;
}

export function createQuestions({ pool, log }: QuestionsOptions): Questions {
  /** What failed last, in words; null: nothing did. */
  let fault: string | null = null;
  /** Whether it was the connection, and when somebody may try again, by `performance.now`. */
  let away = false;
  let nextTry = 0;
  /** When the last answer came. */
  let answered = -Infinity;
  return {
    async ask<R extends QueryResultRow>(sql: string, values: readonly unknown[]) {
      const asked = performance.now();
      if (away) {
        if (asked < nextTry) throw new SearchUnavailableError();
        // Others do not wait with the one who tries.
        nextTry = asked + REST_MS;
      }
      try {
        const { rows } = await pool.query<R>(sql, [...values]);
        if (fault !== null) log.info({}, 'the database searches again');
        [fault, away, answered] = [null, false, performance.now()];
        return rows;
      } catch (error) {
        // Where others were answered meanwhile, it is only that all connections were busy: the next one may be luckier.
        if (isDatabaseAway(error) && answered > asked) throw new SearchUnavailableError(error);
        away = isDatabaseAway(error);
        if (away) nextTry = performance.now() + REST_MS;
        const message = String(error);
        if (fault !== message)
          log.error({ err: error }, 'the database does not search; matches that need it get a 503');
        fault = message;
        throw new SearchUnavailableError(error);
      }
    },
  };
}

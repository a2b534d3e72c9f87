import type { Database } from 'better-sqlite3';
import { sql } from 'kysely';
import { decimal } from '../../models/text/money.js';
import { queries } from './database.js';

/** A correction as a person or program reads it. */
export interface ListedCorrection {
  readonly correction: number;
  /** RFC 3339 */
  readonly madeAt: string;
  readonly reason: string;
  /** What was asked for; of request ids only how many there were. */
  readonly rule: unknown;
  readonly events: number;
  /** Money with six decimals. */
  readonly credit: string;
  /** Months whose invoices credit something of it, such as `2026-11`. */
  readonly creditedIn: readonly string[];
}

/** All corrections, the oldest first. @param database from `openForReading` */
export function listCorrections(database: Database): ListedCorrection[] {
  const query = queries
    .selectFrom('corrections')
    .innerJoin('voided', 'voided.correction', 'corrections.correction')
    .select(['corrections.correction', 'made_at', 'reason', 'rule'])
    .select(({ fn }) => [fn.countAll().as('events'), fn.sum('price_micros').as('micros')])
    .select(sql<string | null>`group_concat(distinct iif(price_micros > 0, month, null))`.as('months'))
    .groupBy('corrections.correction')
    .orderBy('corrections.correction')
    .compile();
  const rows = database.prepare<unknown[], Row>(query.sql).safeIntegers(true).all();
  return rows.map(({ correction, made_at, reason, rule, events, micros, months }) => ({
    correction: Number(correction),
    madeAt: new Date(Number(made_at)).toISOString(),
    reason,
    rule: JSON.parse(rule),
    events: Number(events),
    credit: decimal(micros),
    creditedIn: (months ?? '')
      .split(',')
      .filter((month) => month !== '')
      .map((month) => `${month.slice(0, 4)}-${month.slice(4)}`)
      .toSorted(),
  }));
}

interface Row {
  readonly correction: bigint;
  readonly made_at: bigint;
  readonly reason: string;
  readonly rule: string;
  readonly events: bigint;
  readonly micros: bigint;
  readonly months: string | null;
}

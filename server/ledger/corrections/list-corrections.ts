import { decimal } from '../../../models/text/money.js';
import { monthText } from '../../domain/billing-month.js';
import { type LedgerDatabase, queries } from '../tables/ledger-database.js';

/** A correction as the command prints it. */
export interface ListedCorrection {
  readonly correction: number;
  /** RFC 3339 */
  readonly madeAt: string;
  readonly reason: string;
  /** The rule as given, with the number of request ids instead of the ids. */
  readonly rule: unknown;
  readonly events: number;
  /** Money with six decimals. */
  readonly credit: string;
  /** The months whose invoices credit some of its events, such as `2026-11`. */
  readonly creditedIn: readonly string[];
}

/** Returns all corrections, oldest first. @param database from `openForReading` */
export function listCorrections(database: LedgerDatabase): ListedCorrection[] {
  const rows = database.readAsBigints(
    queries
      .selectFrom('corrections')
      .innerJoin('voided', 'voided.correction', 'corrections.correction')
      .select(['corrections.correction', 'made_at', 'reason', 'rule'])
      .select(({ fn }) => [fn.countAll().as('events'), fn.sum('price_micros').as('micros')])
      .groupBy('corrections.correction')
      .orderBy('corrections.correction')
      .$castTo<Row>(),
  );
  const credited = database.readAsNumbers(creditedMonths);
  return rows.map(({ correction, made_at, reason, rule, events, micros }) => ({
    correction: Number(correction),
    madeAt: new Date(Number(made_at)).toISOString(),
    reason,
    rule: JSON.parse(rule),
    events: Number(events),
    credit: decimal(micros),
    creditedIn: credited.filter((row) => row.correction === Number(correction)).map(({ month }) => monthText(month)),
  }));
}

const creditedMonths = queries
  .selectFrom('voided')
  .select(['correction', 'month'])
  .distinct()
  .where('price_micros', '>', 0)
  .orderBy('month');

interface Row {
  readonly correction: bigint;
  readonly made_at: bigint;
  readonly reason: string;
  readonly rule: string;
  readonly events: bigint;
  readonly micros: bigint;
}

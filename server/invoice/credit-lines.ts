import { type LedgerDatabase, queries } from '../ledger/tables/ledger-database.js';
import { monthText } from '../domain/billing-month.js';

/** Voided events that one month has billed at one price. */
export interface CreditLine {
  readonly campaign: string | null;
  readonly creative: string;
  readonly model: 'cpm' | 'cpc';
  /** Negative, as is the amount. */
  readonly events: number;
  /** The price billed per event. */
  readonly priceMicros: bigint;
  readonly amountMicros: bigint;
  /** The month that billed the events, such as `2026-10`. */
  readonly billedIn: string;
  readonly correction: number;
  readonly reason: string;
}

/** Returns the credits on an advertiser's invoice of a month (such as 202611). */
export function readCreditLines(database: LedgerDatabase, advertiser: string, month: number): CreditLine[] {
  const query = queries
    .selectFrom('voided')
    .innerJoin('dimension_sets', 'dimension_sets.dimension_set', 'voided.dimension_set')
    .innerJoin('corrections', 'corrections.correction', 'voided.correction')
    .where('month', '=', month)
    .where('advertiser', '=', advertiser)
    .where('price_micros', '>', 0)
    .select(['campaign', 'creative', 'kind', 'price_micros as price', 'billed_month as billedMonth'])
    .select(['voided.correction', 'corrections.reason'])
    .select(({ fn }) => fn.countAll<bigint>().as('times'))
    .groupBy([
      'voided.correction',
      'corrections.reason',
      'billed_month',
      'campaign',
      'creative',
      'kind',
      'price_micros',
    ])
    .orderBy('voided.correction')
    .orderBy('billed_month')
    .orderBy('campaign')
    .orderBy('creative')
    .orderBy('kind')
    .orderBy('price_micros');
  return database
    .readAsBigints(query.$castTo<Row>())
    .map(({ campaign, creative, kind, price, times, billedMonth, correction, reason }) => ({
      campaign: campaign || null,
      creative,
      model: kind === 'click' ? 'cpc' : 'cpm',
      events: -Number(times),
      priceMicros: price,
      amountMicros: -price * times,
      billedIn: monthText(Number(billedMonth)),
      correction: Number(correction),
      reason,
    }));
}

interface Row {
  readonly campaign: string;
  readonly creative: string;
  readonly kind: string;
  readonly price: bigint;
  readonly times: bigint;
  readonly billedMonth: bigint;
  readonly correction: bigint;
  readonly reason: string;
}

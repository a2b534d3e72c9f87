import type { Config } from '../../server/config/config.js';
import { createCalendar } from '../../platform/time/calendar.js';
import { DAY } from '../../platform/time/durations.js';
import { createLedger } from '../../server/ledger/server-ledger.js';
import { randomNumbers } from '../support/plausible-month.js';
import type { SimulatedDecision } from './simulated-decision.js';
import type { Books } from './books.js';
import { fillMonth } from './fill.js';
import type { Terms } from './terms.js';

export interface FillLedgerOptions {
  readonly file: string;
  readonly terms: ReadonlyMap<string, Terms>;
  readonly books: Books;
  readonly config: Pick<Config, 'timeZone' | 'currency'>;
  /** Length of the month, which starts at the beginning of a day and ends now. */
  readonly days: number;
  readonly seed: number;
}

/** Fills a month that ends now with this many events, through a ledger that it opens. */
export async function fillLedger(
  answers: readonly SimulatedDecision[],
  events: number,
  options: FillLedgerOptions,
): Promise<void> {
  const { file, terms, books, config, days, seed } = options;
  const { timeZone, currency } = config;
  const calendar = createCalendar(timeZone);
  const to = Date.now();
  const from = calendar.startOf(calendar.dateOf(to - (days - 1) * DAY));
  const ledger = await createLedger({ database: { file }, currency, timeZone });
  try {
    await fillMonth(answers, events, { ledger, terms, books, random: randomNumbers(seed + 1), from, to });
  } finally {
    await ledger.close();
  }
}

import type { Statement } from 'better-sqlite3';
import type { Calendar } from '../../models/time/calendar.js';

/** A month as the ledger holds it: 202611 is November 2026. */
export function monthOf(date: string): number {
  return Number(date.slice(0, 4) + date.slice(5, 7));
}

export function monthAfter(month: number): number {
  return month % 100 === 12 ? month + 89 : month + 1;
}

/** The month that bills what happened at a moment for an advertiser: its own, or the first after it that is not closed. */
export type BillingMonth = (advertiser: string | null, moment: number) => number;

/**
 * Knows which months are closed for as long as nobody can close another: within one transaction.
 *
 * @param findClosed a row for an advertiser and month that is closed
 */
export function createBillingMonth(findClosed: Statement, calendar: Calendar): BillingMonth {
  const known = new Map<string, number>();
  return (advertiser, moment) => {
    const happened = monthOf(calendar.dateOf(moment));
    const key = `${happened}${advertiser ?? ''}`;
    let month = known.get(key) ?? happened;
    if (!known.has(key)) while (findClosed.get(advertiser ?? '', month) !== undefined) month = monthAfter(month);
    known.set(key, month);
    return month;
  };
}

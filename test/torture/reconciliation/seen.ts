import type { BookedEvent, Row } from '../calls/books.js';
import { DAY } from '../../../platform/time/durations.js';

export type Sums = Map<string, number>;

/** The sums that the ledger must match, computed from every event ever seen in it, including pruned ones. */
export interface Seen {
  /** Adds an event that is seen in the ledger for the first time. */
  add(event: BookedEvent, row: Row): void;
  /** Returns the events and micros of all days from this moment on (the start of a day, epoch milliseconds). */
  since(moment: number): { readonly times: number; readonly micros: number };
  /** Returns a copy of the daily sums as they are now. */
  asOfNow(): Pick<Seen, 'since'>;
  /** Events by reason; empty for those that count. */
  readonly byReason: Sums;
  /** Returns total micros. */
  micros(): number;
  /** Micros by account: a campaign, or a creative without one. */
  readonly byAccount: Sums;
  /** Micros by account and day: `Winter 2026-11-22`. */
  readonly byAccountAndDay: Sums;
  /** Micros by advertiser and billing month: `The ski people 202611`. */
  readonly byMonth: Sums;
  /** Events and micros by day, publisher, creative and measure, without test keys. */
  readonly report: Sums;
}

export function createSeen(): Seen {
  const byDay = new Map<number, { times: number; micros: number }>();
  const [byReason, byAccount, byAccountAndDay, byMonth, report] = [0, 0, 0, 0, 0].map((): Sums => new Map()) as [
    Sums,
    Sums,
    Sums,
    Sums,
    Sums,
  ];
  let micros = 0;
  return {
    add({ ad, kind }, { at, price, reason, month }) {
      const day = Math.floor(at / DAY) * DAY;
      const sums = byDay.get(day) ?? { times: 0, micros: 0 };
      byDay.set(day, { times: sums.times + 1, micros: sums.micros + price });
      micros += price;
      raise(byReason, reason, 1);
      if (!ad.test && reason === '') {
        const group = `${dateOf(at)} ${ad.publisher} ${ad.known.creative}`;
        raise(report, `${group} ${kind}s`, 1);
        if (price > 0) raise(report, `${group} spendMicros`, price);
      }
      if (price === 0) return;
      const account = ad.known.campaign ?? ad.known.creative;
      raise(byAccount, account, price);
      raise(byAccountAndDay, `${account} ${dateOf(at)}`, price);
      raise(byMonth, `${ad.known.advertiser} ${month}`, price);
    },
    since: (moment) => sumSince(byDay, moment),
    asOfNow() {
      const days = new Map(byDay);
      return { since: (moment) => sumSince(days, moment) };
    },
    micros: () => micros,
    byReason,
    byAccount,
    byAccountAndDay,
    byMonth,
    report,
  };
}

function sumSince(byDay: ReadonlyMap<number, { times: number; micros: number }>, moment: number) {
  const sum = { times: 0, micros: 0 };
  for (const [day, of] of byDay) {
    if (day < moment) continue;
    sum.times += of.times;
    sum.micros += of.micros;
  }
  return sum;
}

export function raise(sums: Sums, name: string, by: number): void {
  sums.set(name, (sums.get(name) ?? 0) + by);
}

/** Returns the date in UTC, which is the installation's time zone here. */
export function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

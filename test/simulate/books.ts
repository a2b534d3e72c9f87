import type { EventKind, IgnoredReason, NoFillReason } from '../../models/schema/event-kinds.js';
import { accountOf, priceOf, type Terms } from './terms.js';

/** The publisher and ad of a figure. The ad is null if none was served or it is unknown. */
export interface Dimensions {
  readonly publisher: string | null;
  readonly ad: Pick<Terms, 'creative' | 'campaign' | 'advertiser'> | null;
  readonly test: boolean;
}

/** Day and names in the order of `NAMES`; null for none. */
export type Key = readonly [day: string, ...names: (string | null)[]];
export const NAMES = ['day', 'publisher', 'advertiser', 'campaign', 'creative'] as const;

/** Figures by name, such as `impressions`, `ignored.head` and `spend` (micros). Figures of 0 may be absent. */
export type Figures = Record<string, number>;

export interface Page {
  readonly key: Key;
  readonly test: boolean;
  readonly figures: Figures;
}

/**
 * The simulation's own books: daily counts and micros by publisher, campaign and creative, derived from the acts and
 * the documented rules without reading the ledger.
 */
export interface Books {
  readonly pages: Iterable<Page>;
  readonly events: number;
  /** Adds figures counted before the simulation began. */
  open(page: Page): void;
  decided(at: number, dimensions: Dimensions, reason: NoFillReason | null): void;
  ignored(at: number, dimensions: Dimensions, reason: IgnoredReason): void;
  /** Records the first event of its kind for a request id: it is charged if its budget has room. */
  happened(at: number, publisher: string, test: boolean, terms: Terms, kind: EventKind): void;
  /** Returns the share of an account's daily and total budget that would be spent after one more such event. */
  used(at: number, terms: Terms, kind: EventKind): { readonly day: number; readonly total: number };
  dayOf(at: number): string;
}

const EVENTS = { impression: 'impressions', view: 'views', click: 'clicks' } as const;
const MINUTES_15 = 900_000;

/** @param timeZone time zone in which days are counted */
export function createBooks(timeZone: string): Books {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  const days = new Map<number, string>();
  const pages = new Map<string, Page>();
  const spent = new Map<string, number>();
  let events = 0;

  const dayOf = (at: number): string => {
    const quarter = Math.floor(at / MINUTES_15);
    const day = days.get(quarter) ?? format.format(quarter * MINUTES_15);
    days.set(quarter, day);
    return day;
  };
  const figuresOf = (key: Key, test: boolean): Figures => {
    const name = JSON.stringify([key, test]);
    const page = pages.get(name) ?? { key, test, figures: {} };
    pages.set(name, page);
    return page.figures;
  };
  const count = (at: number, { publisher, ad, test }: Dimensions, figure: string, micros = 0): void => {
    const names = [publisher, ad?.advertiser ?? null, ad?.campaign ?? null, ad?.creative ?? null];
    const figures = figuresOf([dayOf(at), ...names], test);
    figures[figure] = (figures[figure] ?? 0) + 1;
    if (micros > 0) figures['spend'] = (figures['spend'] ?? 0) + micros;
  };
  const spentOf = (account: string, day: string): number => spent.get(`${day} ${account}`) ?? 0;
  const charge = (account: string, day: string, micros: number): void => {
    for (const span of ['', day]) spent.set(`${span} ${account}`, spentOf(account, span) + micros);
  };
  const used: Books['used'] = (at, terms, kind) => {
    const [account, micros] = [accountOf(terms), priceOf(terms, kind)];
    const share = (day: string, limit: number | null): number =>
      limit === null ? 0 : (spentOf(account, day) + micros) / limit;
    return { day: share(dayOf(at), terms.dailyMicros), total: share('', terms.totalMicros) };
  };

  return {
    pages: { [Symbol.iterator]: () => pages.values() },
    get events() {
      return events;
    },
    dayOf,
    open({ key, test, figures }) {
      Object.assign(figuresOf(key, test), figures);
      const [day, , advertiser = null, campaign = null, creative = null] = key;
      if (creative !== null) charge(accountOf({ advertiser, campaign, creative }), day, figures['spend'] ?? 0);
    },
    decided(at, dimensions, reason) {
      count(at, dimensions, 'decisions');
      count(at, dimensions, reason === null ? 'fills' : `noFills.${reason}`);
    },
    ignored(at, dimensions, reason) {
      events++;
      count(at, dimensions, `ignored.${reason}`);
    },
    happened(at, publisher, test, terms, kind) {
      events++;
      const dimensions = { publisher, ad: terms, test };
      const micros = test ? 0 : priceOf(terms, kind);
      if (micros > 0) {
        const { day, total } = used(at, terms, kind);
        if (day > 1 || total > 1) return count(at, dimensions, 'ignored.over-budget');
        charge(accountOf(terms), dayOf(at), micros);
      }
      count(at, dimensions, EVENTS[kind], micros);
    },
    used,
  };
}

import type { Pricing } from '../../../models/schema/creative.js';
import { createMonotonicClock } from '../../../platform/time/monotonic-clock.js';
import { unitPriceMicros } from '../../domain/billing.js';
import { createAgingQueue } from './aging-queue.js';
import { type AdState, createHolders, type ReservedSpend, type Holders } from './reserved-spend.js';
import type { ClickRates, ShownRates } from './observed-rates.js';

/** A served ad, as its later events identify it. */
export interface ServedAd {
  readonly publisher: string;
  readonly creative: string;
  /** When the ad was served, epoch milliseconds. */
  readonly issuedAt: number;
}

/** The spend reserved for ads that are served but not yet paid. In memory only: the ledger enforces the budgets. */
export interface Reservations {
  /** Reserves the cost of a served ad. @param holders who else holds it besides its publisher, such as its session */
  add(account: string, ad: ServedAd, pricing: Pricing, holders: readonly string[]): void;
  /** Records the ad's impression: the ad is now paid, or its click is as likely as that of any shown ad. */
  recordImpression(ad: ServedAd): void;
  /** Records the ad's click. */
  recordClick(ad: ServedAd): void;
  /** Returns what an account's ads are still expected to cost, in micros: one publisher's, and each other's. */
  expected(account: string, publisher: string, now: number): ExpectedCost;
  /**
   * Returns what the ads of one holder may cost in the worst case: fresh ones as if they were late, if its publisher
   * shows more ads late than in time.
   */
  heldBy(account: string, holder: string, publisher: string): number;
  /** Returns the same for the ads of one publisher. */
  heldByPublisher(account: string, publisher: string): number;
  /** Number of ads with a reservation. */
  readonly size: number;
}

/** Expected costs of served ads, in micros. */
export interface ExpectedCost {
  readonly own: number;
  readonly others: readonly number[];
}

interface HeldAd extends ServedAd {
  readonly account: string;
  readonly model: Pricing['model'];
  readonly micros: number;
  readonly holders: readonly string[];
  /** Null: paid or expired. */
  state: AdState | null;
  /** Whether its impression was recorded. */
  seen: boolean;
}

/** Nearly all ads are shown and clicked soon after they are served, or never. The exceptions are chats opened again. */
const FRESH_MS = 2 * 60_000;
/** Events almost never arrive after this, and a budget must not wait for them. */
const KEPT_MS = 20 * 60_000;
/** About 160 ads a second for twenty minutes. */
const MAX_ADS = 200_000;

/**
 * Creates the reservations. Each ad has its own, so that its events release exactly what was reserved for it. Its
 * expected cost is its price times the observed rates: how many of its publisher's ads are shown, and how many of its
 * account's are clicked.
 *
 * @param maxAds max number of ads; beyond it the oldest expire
 */
export function createReservations(rates: ShownRates, clicks: ClickRates, maxAds = MAX_ADS): Reservations {
  const accounts = new Map<string, { readonly publishers: Holders; readonly others: Holders }>();
  const byName = new Map<string, HeldAd[]>();
  const monotonicTime = createMonotonicClock();
  let size = 0;

  const move = (ad: HeldAd, to: AdState | null): void => {
    const { account, publisher, holders, model, micros, state } = ad;
    const of = accounts.get(account) ?? { publishers: createHolders(), others: createHolders() };
    accounts.set(account, of);
    const add = (at: AdState | null, by: number): void => {
      if (at === null) return;
      of.publishers.add(publisher, model, at, by);
      for (const holder of holders) of.others.add(holder, model, at, by);
    };
    // Added before subtracting, so that no holder is dropped while it still holds something.
    add(to, micros);
    add(state, -micros);
    ad.state = to;
    if (to !== null) return;
    size--;
    if (of.publishers.size === 0) accounts.delete(account);
    const others = byName.get(nameOf(ad))!.filter((each) => each !== ad);
    if (others.length === 0) byName.delete(nameOf(ad));
    else byName.set(nameOf(ad), others);
  };
  const ages = createAgingQueue<HeldAd>({
    lateAfterMs: FRESH_MS,
    expiresAfterMs: KEPT_MS,
    maxItems: maxAds,
    onLate(ad) {
      if (ad.state === null) return;
      move(ad, 'late');
      if (!ad.seen) rates.recordInTime(ad.publisher, false);
    },
    onExpired(ad) {
      if (ad.state === 'late' && !ad.seen) rates.recordLate(ad.publisher, false);
      if (ad.state !== null) move(ad, null);
    },
  });
  const find = (ad: ServedAd, wanted: (held: HeldAd) => boolean): HeldAd | undefined =>
    byName.get(nameOf(ad))?.find(wanted);
  const worst = (holder: ReservedSpend | undefined, account: string, publisher: string): number => {
    const { fresh, late } = rates.of(publisher);
    return holder?.expected({ fresh: Math.max(fresh, late), late }, clicks.of(account)) ?? 0;
  };

  return {
    add(account, ad, pricing, holders) {
      const micros = unitPriceMicros(pricing);
      if (micros === 0) return;
      const served: HeldAd = { ...ad, account, model: pricing.model, micros, holders, state: null, seen: false };
      byName.set(nameOf(ad), [...(byName.get(nameOf(ad)) ?? []), served]);
      size++;
      move(served, 'fresh');
      const now = monotonicTime(ad.issuedAt);
      ages.add(served, now);
      ages.advance(now);
    },
    recordImpression(ad) {
      const held = find(ad, ({ seen }) => !seen);
      if (held === undefined) return;
      held.seen = true;
      if (held.state === 'fresh') rates.recordInTime(held.publisher, true);
      else rates.recordLate(held.publisher, true);
      if (held.model === 'cpm') move(held, null);
      else if (held.state === 'fresh') move(held, 'shown');
    },
    recordClick(ad) {
      const held = find(ad, ({ model }) => model === 'cpc');
      if (held !== undefined) move(held, null);
    },
    expected(account, publisher, now) {
      ages.advance(monotonicTime(now));
      const clickRate = clicks.of(account);
      let own = 0;
      const others: number[] = [];
      for (const [name, spend] of accounts.get(account)?.publishers.entries() ?? []) {
        const micros = spend.expected(rates.of(name), clickRate);
        if (name === publisher) own = micros;
        else others.push(micros);
      }
      return { own, others };
    },
    heldBy: (account, holder, publisher) => worst(accounts.get(account)?.others.of(holder), account, publisher),
    heldByPublisher: (account, publisher) => worst(accounts.get(account)?.publishers.of(publisher), account, publisher),
    get size() {
      return size;
    },
  };
}

/** Ads served within one millisecond may share a name; their events may then release any of them. */
function nameOf({ publisher, creative, issuedAt }: ServedAd): string {
  return `${issuedAt} ${creative} ${publisher}`;
}

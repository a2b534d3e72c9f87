import type { Pricing } from '../../../models/schema/creative.js';
import { createMonotonicClock } from '../../../platform/time/monotonic-clock.js';
import { unitPriceMicros } from '../../domain/billing.js';
import { createAgingQueue } from './aging-queue.js';
import type { ClickRates, ShownRates } from './observed-rates.js';
import { createReservedAds, type ReservedAd, type ServedAd } from './reserved-ads.js';
import type { ReservedSpend } from './reserved-spend.js';

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

/** Nearly all ads are shown and clicked soon after they are served, or never. The exceptions are chats opened again. */
const FRESH_MS = 2 * 60_000;
/** Events almost never arrive after this, and a budget must not wait for them. */
const KEPT_MS = 20 * 60_000;
/** About 160 ads a second for twenty minutes. */
const MAX_ADS = 200_000;

/**
 * Creates the reservations. Each ad has its own, so that its events release exactly what was reserved for it. Its
 * expected cost is its price times the observed rates: how many of its publisher's ads are shown, and how many of its
 * account's are clicked. Whether an ad is shown in time, late or never is observed here.
 *
 * @param maxAds max number of ads; beyond it the oldest expire
 */
export function createReservations(rates: ShownRates, clicks: ClickRates, maxAds = MAX_ADS): Reservations {
  const reserved = createReservedAds();
  const monotonicTime = createMonotonicClock();

  const ages = createAgingQueue<ReservedAd>({
    lateAfterMs: FRESH_MS,
    expiresAfterMs: KEPT_MS,
    maxItems: maxAds,
    onLate(ad) {
      if (ad.state === null) return;
      reserved.move(ad, 'late');
      if (!ad.seen) rates.recordInTime(ad.publisher, false);
    },
    onExpired(ad) {
      if (ad.state === 'late' && !ad.seen) rates.recordLate(ad.publisher, false);
      if (ad.state !== null) reserved.move(ad, null);
    },
  });
  const worst = (held: ReservedSpend | undefined, account: string, publisher: string): number => {
    const { fresh, late } = rates.of(publisher);
    return held?.expected({ fresh: Math.max(fresh, late), late }, clicks.of(account)) ?? 0;
  };

  return {
    add(account, ad, pricing, holders) {
      const micros = unitPriceMicros(pricing);
      if (micros === 0) return;
      const now = monotonicTime(ad.issuedAt);
      ages.add(reserved.add(ad, { account, model: pricing.model, micros, holders }), now);
      ages.advance(now);
    },
    recordImpression(ad) {
      const found = reserved.find(ad, ({ seen }) => !seen);
      if (found === undefined) return;
      found.seen = true;
      if (found.state === 'fresh') rates.recordInTime(found.publisher, true);
      else rates.recordLate(found.publisher, true);
      if (found.model === 'cpm') reserved.move(found, null);
      else if (found.state === 'fresh') reserved.move(found, 'shown');
    },
    recordClick(ad) {
      const found = reserved.find(ad, ({ model }) => model === 'cpc');
      if (found !== undefined) reserved.move(found, null);
    },
    expected(account, publisher, now) {
      ages.advance(monotonicTime(now));
      const clickRate = clicks.of(account);
      let own = 0;
      const others: number[] = [];
      for (const [name, spend] of reserved.byPublisher(account)?.entries() ?? []) {
        const micros = spend.expected(rates.of(name), clickRate);
        if (name === publisher) own = micros;
        else others.push(micros);
      }
      return { own, others };
    },
    heldBy: (account, holder, publisher) => worst(reserved.byHolder(account)?.of(holder), account, publisher),
    heldByPublisher: (account, publisher) => worst(reserved.byPublisher(account)?.of(publisher), account, publisher),
    get size() {
      return reserved.size;
    },
  };
}

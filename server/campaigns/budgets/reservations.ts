import type { Pricing } from '../../../models/schema/creative.js';
import { createMonotonicClock } from '../../../platform/time/monotonic-clock.js';
import { nextPriceMicros } from '../../domain/billing.js';
import { createAgingQueue } from './aging-queue.js';
import { type AdState, createHolders, type ReservedSpend, type Holders } from './reserved-spend.js';
import type { ClickRates, ShownRates } from './observed-rates.js';

/** An ad that was answered: by this its events find it again. */
export interface ServedAd {
  readonly publisher: string;
  readonly creative: string;
  /** When it was answered, epoch milliseconds. */
  readonly issuedAt: number;
}

/** Ads answered but not paid for yet, as the money that they may still cost. In memory: the ledger is what holds. */
export interface Reservations {
  /** @param holders whose ad it is beside its publisher: names of any kind, such as a session's */
  add(account: string, ad: ServedAd, pricing: Pricing, holders: readonly string[]): void;
  /** Its impression came: it is paid for, or its click is now as likely as that of any ad that is shown. */
  shown(ad: ServedAd): void;
  /** Its click came. */
  clicked(ad: ServedAd): void;
  /** What an account's ads are expected to cost still, in micros. */
  expected(account: string, now: number): number;
  /** Of that, what the ads of one of the holders cost that are not late. */
  heldBy(account: string, holder: string, publisher: string): number;
  /** Likewise the ads of one publisher. */
  heldByPublisher(account: string, publisher: string): number;
  /** How many ads are held. */
  readonly size: number;
}

interface HeldAd extends ServedAd {
  readonly account: string;
  readonly model: Pricing['model'];
  readonly micros: number;
  readonly holders: readonly string[];
  /** Null: paid for, or given up. */
  state: AdState | null;
  /** Its impression came. */
  seen: boolean;
}

/** Ads are shown, and clicked, soon after their answer or not at all but for a few: a chat that is opened again. */
const FRESH_MS = 2 * 60_000;
/** What has not come by then almost never comes, and a budget must not wait for it. */
const KEPT_MS = 20 * 60_000;
/** A hundred and sixty a second for twenty minutes. */
const MOST_ADS = 200_000;

/**
 * Holds each ad by itself, so that what its events release is what was set aside for it. What it is expected to cost is its
 * price times what was observed: how many of its publisher's ads are shown, and how many of its account's are clicked.
 *
 * @param most beyond it the oldest ads are given up
 */
export function createReservations(rates: ShownRates, clicks: ClickRates, most = MOST_ADS): Reservations {
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
    // Added first, so that nobody is forgotten who holds something.
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
    goneAfterMs: KEPT_MS,
    most,
    onLate(ad) {
      if (ad.state === null) return;
      move(ad, 'late');
      if (!ad.seen) rates.observed(ad.publisher, false);
    },
    onGone(ad) {
      if (ad.state === 'late' && !ad.seen) rates.observedLate(ad.publisher, false);
      if (ad.state !== null) move(ad, null);
    },
  });
  const find = (ad: ServedAd, wanted: (held: HeldAd) => boolean): HeldAd | undefined =>
    byName.get(nameOf(ad))?.find(wanted);
  const sum = (holder: ReservedSpend | undefined, account: string, publisher: string, late: boolean): number => {
    if (holder === undefined) return 0;
    const rate = rates.of(publisher);
    return holder.expected(late ? rate : { ...rate, late: 0 }, clicks.of(account));
  };

  return {
    add(account, ad, pricing, holders) {
      const micros = nextPriceMicros(pricing);
      if (micros === 0) return;
      const held: HeldAd = { ...ad, account, model: pricing.model, micros, holders, state: null, seen: false };
      byName.set(nameOf(ad), [...(byName.get(nameOf(ad)) ?? []), held]);
      size++;
      move(held, 'fresh');
      const now = monotonicTime(ad.issuedAt);
      ages.add(held, now);
      ages.advance(now);
    },
    shown(ad) {
      const held = find(ad, ({ seen }) => !seen);
      if (held === undefined) return;
      held.seen = true;
      if (held.state === 'fresh') rates.observed(held.publisher, true);
      else rates.observedLate(held.publisher, true);
      if (held.model === 'cpm') move(held, null);
      else if (held.state === 'fresh') move(held, 'shown');
    },
    clicked(ad) {
      const held = find(ad, ({ model }) => model === 'cpc');
      if (held !== undefined) move(held, null);
    },
    expected(account, now) {
      ages.advance(monotonicTime(now));
      let micros = 0;
      for (const [publisher, held] of accounts.get(account)?.publishers.entries() ?? []) {
        micros += sum(held, account, publisher, true);
      }
      return micros;
    },
    heldBy: (account, holder, publisher) => sum(accounts.get(account)?.others.of(holder), account, publisher, false),
    heldByPublisher: (account, publisher) =>
      sum(accounts.get(account)?.publishers.of(publisher), account, publisher, false),
    get size() {
      return size;
    },
  };
}

/** Several ads may bear one name, answered within a millisecond: any of them will do. */
function nameOf({ publisher, creative, issuedAt }: ServedAd): string {
  return `${issuedAt} ${creative} ${publisher}`;
}

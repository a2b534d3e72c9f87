import { setTimeout as pause } from 'node:timers/promises';
import type { EventKind } from '../../../models/schema/event-kinds.js';
import { askForAd, isInTime, sendEvent, type AskOptions } from './ask.js';
import type { ServedAd } from './books.js';
import type { Caller } from './caller.js';

export interface TrafficOptions extends AskOptions {
  /** The server to call now; null if none serves. */
  readonly server: () => Caller | null;
  /** How many callers run concurrently. */
  readonly lanes?: number;
}

/** The result of a probe: an ad was shown and certainly counts, the server has no catalogue, or unknown. */
export type Probed = 'counted' | 'no-catalogue' | 'unsure';

/** Concurrent callers that request ads and show, view and click them. */
export interface Traffic {
  /** Starts no more calls until `resume`; resolves once all calls in flight have ended. */
  hold(): Promise<void>;
  resume(): void;
  /** Resolves after this many replies, or after the time limit. */
  answers(count: number, withinMs: number): Promise<void>;
  /** Forgets all ads because their windows have passed. */
  forget(): void;
  /** Shows an ad that was not shown before, or requests one. */
  probe(): Promise<Probed>;
  readonly asked: number;
  end(): Promise<void>;
}

const LANES = 10;
const MOST_ADS = 400;
/** A click this long after its ad was shown counts, even if beacons are repeated meanwhile. */
const CLICK_AFTER_MS = 600;

interface Held {
  readonly ad: ServedAd;
  /** When its impression was first acknowledged, by `performance.now()`. */
  shownAt: number | null;
}

export function startTraffic(options: TrafficOptions): Traffic {
  const { books, chance, server, lanes: count = LANES } = options;
  let ads: Held[] = [];
  const state = { held: false, over: false, callers: 0, asked: 0 };

  const ask = async (caller: Caller): Promise<Probed> => {
    const ad = await askForAd(caller, options);
    state.asked++;
    if (ad === 'no-catalogue') return ad;
    if (ad === null) return 'unsure';
    ads.push({ ad, shownAt: null });
    if (ads.length > MOST_ADS) ads.splice(chance.whole(0, ads.length - 1), 1);
    return 'unsure';
  };
  const send = async (caller: Caller, one: Held, kind: EventKind): Promise<boolean> => {
    const counted = await sendEvent(caller, one.ad, kind, options);
    if (counted && kind === 'impression') one.shownAt ??= performance.now();
    return counted;
  };
  /** @param soon whether the ad has not certainly been shown yet */
  const click = (caller: Caller, one: Held, soon: boolean): Promise<boolean> =>
    sendEvent(caller, one.ad, 'click', options, !soon);
  const act = async (caller: Caller): Promise<unknown> => {
    const one = ads.length === 0 ? undefined : chance.oneOf(ads);
    if (one === undefined || chance.happens(0.3)) return ask(caller);
    const clickable = one.shownAt !== null && performance.now() - one.shownAt > CLICK_AFTER_MS;
    if (clickable && chance.happens(0.5)) return click(caller, one, false);
    // Sooner than an ad can be seen: it costs nothing, whatever the reply.
    if (!clickable && chance.happens(0.05)) return click(caller, one, true);
    if (chance.happens(0.15)) return send(caller, one, 'view');
    // The same beacon, sometimes three at once: a retry after a fault, or fraud.
    return Promise.all(Array.from({ length: chance.happens(0.1) ? 3 : 1 }, () => send(caller, one, 'impression')));
  };
  const lane = async (): Promise<void> => {
    do {
      const caller = state.held ? null : server();
      if (caller !== null) {
        state.callers++;
        await act(caller).finally(() => state.callers--);
      }
      await pause(chance.between(0, 10));
    } while (!state.over);
  };
  const lanes = Array.from({ length: count }, lane);
  const answered = (): number => state.asked + books.tally.acknowledged + books.tally.refused;

  return {
    async hold() {
      state.held = true;
      while (state.callers > 0) await pause(2);
    },
    resume: () => void (state.held = false),
    async answers(wanted, withinMs) {
      const [enough, deadline] = [answered() + wanted, performance.now() + withinMs];
      while (answered() < enough && performance.now() < deadline) await pause(5);
    },
    forget: () => void (ads = []),
    async probe() {
      const caller = server();
      if (caller === null) return 'unsure';
      const now = options.control.now();
      // Skips ads whose window has passed or that lie in the future after the clock was set back: whether their events
      // count is unknown.
      const one = ads.findLast(({ ad, shownAt }) => shownAt === null && isInTime(ad, now));
      if (one === undefined) return ask(caller);
      return (await send(caller, one, 'impression')) ? 'counted' : 'unsure';
    },
    get asked() {
      return state.asked;
    },
    async end() {
      state.over = true;
      await Promise.all(lanes);
    },
  };
}

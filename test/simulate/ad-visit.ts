import { setTimeout as pause } from 'node:timers/promises';
import type { Ad } from '../../models/schema/ad.js';
import type { RequestIds } from '../../server/domain/claims.js';
import type { ValidWindows } from '../../server/events/ignored-reason.js';
import { DAY } from '../../platform/time/durations.js';
import type { Books } from './books.js';
import type { Act } from './click-model.js';
import { accountOf, priceOf } from './terms.js';
import { type FilledDecision, bookAct } from './simulated-decision.js';

export interface VisitOptions {
  /** Origin of the server. */
  readonly origin: string;
  readonly books: Books;
  /** The server's own request ids, so that ads issued on other days can be shown today. */
  readonly requestIds: RequestIds;
  readonly windows: ValidWindows;
  /** Runs the work of one account sequentially, in the order of the calls. */
  readonly inOrder: (account: string, work: () => Promise<void>) => Promise<void>;
  /**
   * The client address, 64 bits. Each ad has its own: in compressed time, two clicks within an hour would count as
   * rapid.
   */
  readonly address: string;
}

const RAPID_WITHIN_MS = 5000;
/** A person needs this long to click; the server does not charge for sooner clicks. */
const SEEN_MS = 600;
const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

/** Performs one ad's acts as requests: loads its beacon, follows its target, and so on. */
export function createAdVisit(answer: FilledDecision, ad: Ad, options: VisitOptions): (act: Act) => Promise<void> {
  const { origin, books, requestIds, windows, inOrder, address } = options;
  const own = new URL(ad.impressionUrl).searchParams.get('requestId')!;
  let [shownAt, clickedAt] = [0, 0];

  /** Issues a request id for the same ad as if it had been issued this long ago. */
  const older = (ms: number): string => {
    const verified = requestIds.verify(own);
    if (!verified.valid) throw new Error('an ad has a request id that its own server would not take');
    return requestIds.issue({ ...verified.claims, issuedAt: Date.now() - ms });
  };
  const requestIdOf = ({ kind, manner }: Act): string | null => {
    if (manner === 'missing') return null;
    if (manner === 'invalid') return own.slice(0, -8);
    if (manner === 'rapid') return older(0);
    if (manner === 'late') return older(Math.min(5 * DAY, windows.clickWindowMs / 2));
    if (manner !== 'expired') return own;
    return older((kind === 'click' ? windows.clickWindowMs : windows.impressionWindowMs) + DAY / 24);
  };
  const send = async (act: Act): Promise<void> => {
    const { kind, manner } = act;
    const url = new URL(kind === 'click' ? ad.targetUrl : ad.impressionUrl);
    const requestId = requestIdOf(act);
    if (requestId === null) url.searchParams.delete('requestId');
    else url.searchParams.set('requestId', requestId);
    if (kind === 'view') url.searchParams.set('event', 'view');
    const other = ad.id === 'flights-1' ? 'hotels-1' : 'flights-1';
    const path = manner === 'wrong-creative' ? url.pathname.replace(/[^/]+$/, other) : url.pathname;
    // Days later, from another network.
    const client = manner === 'late' ? address.replace('fd00:', 'fd01:') : address;
    const response = await fetch(`${origin}${path}${url.search}`, {
      method: manner === 'head' ? 'HEAD' : 'GET',
      headers: {
        'user-agent': manner === 'crawler' ? CRAWLER : 'SimulatedChat/1.0',
        'x-forwarded-for': client,
        ...(manner === 'prefetch' ? { 'sec-purpose': 'prefetch' } : {}),
      },
      redirect: 'manual',
    });
    await response.arrayBuffer();
    if (response.status !== (kind === 'click' ? 302 : 200)) throw new Error(`${path} answered ${response.status}`);
  };

  return async (act) => {
    if (act.kind === 'click') await pause(Math.max(0, shownAt + SEEN_MS - Date.now()));
    const perform = async (): Promise<void> => {
      if (act.kind === 'click' && act.manner === 'plain') clickedAt = Date.now();
      bookAct(books, answer, act, Date.now());
      await send(act);
      if (act.kind !== 'click' && shownAt === 0) shownAt = Date.now();
      if (act.manner === 'rapid' && Date.now() - clickedAt >= RAPID_WITHIN_MS)
        throw new Error(
          'this machine is too busy: two clicks at once took 5 s, so it is unknown whether they are rapid',
        );
    };
    // Which of two events still fits into a budget depends on their order, so the simulation fixes the order.
    const { terms } = answer;
    const ordered = terms.dailyMicros !== null || terms.totalMicros !== null;
    return ordered && priceOf(terms, act.kind) > 0 ? inOrder(accountOf(terms), perform) : perform();
  };
}

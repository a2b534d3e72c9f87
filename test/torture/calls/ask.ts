import type { EventKind } from '../../../models/schema/event-kinds.js';
import { API } from '../../../server/domain/urls.js';
import { HOUR } from '../../../platform/time/durations.js';
import { servedAd, type ServedAd, type Books } from './books.js';
import type { HttpReply, Caller } from './caller.js';
import { CONTEXTS } from './catalogue.js';
import type { Chance } from './chance.js';
import type { TortureControl } from './control.js';

/** A publisher's key, as the `keys` command created it. */
export interface PublisherKey {
  readonly publisher: string;
  readonly key: string;
  readonly test: boolean;
}

export interface AskOptions {
  readonly keys: readonly PublisherKey[];
  readonly books: Books;
  readonly chance: Chance;
  readonly control: TortureControl;
  /**
   * Whether, as far as the test knows, the disk can spool a click that the ledger cannot store. Only then does a
   * redirect guarantee that the click counts.
   */
  readonly diskIsWell: () => boolean;
  /** Called with a response that no fault explains. */
  readonly onUnexpected: (what: string) => void;
}

/** A click that takes longer may have been redirected before the ledger or the disk had it. */
const SURE_WITHIN_MS = 240;

/** Returns whether an event of the ad is within its window by a clock that says `now`, with some hours to spare. */
export function isInTime({ issuedAt }: ServedAd, now: number): boolean {
  return now >= issuedAt && now - issuedAt < 20 * HOUR;
}

/**
 * Requests an ad as one of the publishers.
 *
 * @returns null if there is no ad, or its issue time is uncertain
 */
export async function askForAd(caller: Caller, options: AskOptions): Promise<ServedAd | 'no-catalogue' | null> {
  const { keys, chance, control, onUnexpected } = options;
  const { publisher, key, test } = chance.oneOf(keys);
  const began = performance.now();
  const at = control.now();
  const answer = await caller.call(`${API}/match`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key, 'x-forwarded-for': address(chance) },
    body: JSON.stringify({ context: chance.oneOf(CONTEXTS) }),
  });
  if (answer !== null && ![200, 404, 503].includes(answer.status)) onUnexpected(`match answered ${describe(answer)}`);
  if (answer?.status === 404 && answer.body.includes('no catalogue')) return 'no-catalogue';
  // The clock may have been moved meanwhile.
  if (answer?.status !== 200 || !control.settledSince(began)) return null;
  return servedAd(answer.body, { publisher, test, at });
}

/**
 * Sends an event and records the reply.
 *
 * @param mayCount false for a click that may be ignored, such as one before its ad is shown
 * @returns whether the event certainly counts
 */
export async function sendEvent(
  caller: Caller,
  ad: ServedAd,
  kind: EventKind,
  options: AskOptions,
  mayCount = true,
): Promise<boolean> {
  const { books, chance, control, diskIsWell, onUnexpected } = options;
  const began = performance.now();
  const inTime = (): boolean => isInTime(ad, control.now());
  const well = inTime() && diskIsWell() && mayCount;
  books.sent(ad, kind);
  const query = `requestId=${ad.requestId}${kind === 'view' ? '&event=view' : ''}`;
  const path = kind === 'click' ? `target/${ad.known.creative}` : 'beacon';
  const headers = { 'user-agent': 'torture', 'x-forwarded-for': address(chance) };
  const answer = await caller.call(`${API}/${path}?${query}`, { headers });
  if (answer === null) {
    books.replied(ad, kind, 'nothing', false);
    return false;
  }
  const acknowledged = answer.status === (kind === 'click' ? 302 : 200);
  if (!acknowledged && answer.status !== 503) onUnexpected(`${path} answered ${describe(answer)}`);
  const sure = mayCount && inTime() && control.settledSince(began);
  const stored = kind !== 'click' || (well && diskIsWell() && answer.ms < SURE_WITHIN_MS);
  books.replied(ad, kind, acknowledged ? 'acknowledged' : 'refused', sure && stored);
  return acknowledged && sure && stored;
}

function describe({ status, body }: HttpReply): string {
  return `${status}: ${body.slice(0, 200)}`;
}

/** Returns a different address for each call. */
function address(chance: Chance): string {
  return Array.from({ length: 4 }, () => chance.whole(1, 223)).join('.');
}

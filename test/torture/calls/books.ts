import { createHash } from 'node:crypto';
import type { EventKind } from '../../../models/schema/event-kinds.js';
import { knownOf, type Known } from './catalogue.js';

/** An ad as a caller received it. */
export interface ServedAd {
  readonly requestId: string;
  readonly publisher: string;
  readonly test: boolean;
  readonly known: Known;
  /** By the server's clock. */
  readonly issuedAt: number;
}

/** What a caller learned about an event: it counts (200, 302), it does not (503), or nothing. */
export type Reply = 'acknowledged' | 'refused' | 'nothing';

/** One impression, view or click that was sent at least once. */
export interface BookedEvent {
  readonly ad: ServedAd;
  readonly kind: EventKind;
  /** The ledger's key for the request id. */
  readonly digest: string;
  /**
   * Whether a caller got a reply which guarantees that the event counts, or will count once the ledger can store it.
   */
  promised: boolean;
  /** The row seen in the ledger; it must never change. */
  row: Row | null;
}

/** A row of the ledger's events. */
export interface Row {
  readonly at: number;
  readonly price: number;
  readonly reason: string;
  readonly month: number;
}

/** A record of every event sent and every reply, kept independently of the server. */
export interface Books {
  readonly events: ReadonlyMap<string, BookedEvent>;
  /** Returns the events sent, acknowledged or spooled since the last `takeTouched`. */
  takeTouched(): readonly BookedEvent[];
  /**
   * Marks events that are spooled on disk, by key: they may be stored later without being sent again.
   *
   * @returns those that no caller sent
   */
  waiting(keys: ReadonlySet<string>): readonly string[];
  /** Records an event before it is sent, so that one that counts without a reply is known. */
  sent(ad: ServedAd, kind: EventKind): void;
  /**
   * Records a reply.
   *
   * @param certain whether the reply is unambiguous: the ad is within its window and the event could be saved
   */
  replied(ad: ServedAd, kind: EventKind, reply: Reply, certain: boolean): void;
  /** Number of replies of each kind. */
  readonly tally: Readonly<Record<Reply, number>>;
}

export function createBooks(): Books {
  const events = new Map<string, BookedEvent>();
  let touched = new Set<BookedEvent>();
  const tally = { acknowledged: 0, refused: 0, nothing: 0 };

  const eventOf = (ad: ServedAd, kind: EventKind): BookedEvent => {
    const digest = digestOf(ad.requestId);
    const key = keyOf(digest, kind);
    const event = events.get(key) ?? { ad, kind, digest, promised: false, row: null };
    events.set(key, event);
    return event;
  };
  return {
    events,
    takeTouched() {
      const taken = [...touched];
      touched = new Set();
      return taken;
    },
    waiting(keys) {
      const unknown: string[] = [];
      for (const key of keys) {
        const event = events.get(key);
        if (event === undefined) unknown.push(key);
        else touched.add(event);
      }
      return unknown;
    },
    sent: (ad, kind) => void touched.add(eventOf(ad, kind)),
    replied(ad, kind, reply, certain) {
      tally[reply]++;
      const event = eventOf(ad, kind);
      event.promised ||= reply === 'acknowledged' && certain;
      touched.add(event);
    },
    tally,
  };
}

/**
 * Reads the ad of a response.
 *
 * @param publisher the publisher whose key requested it
 */
export function servedAd(
  body: string,
  { publisher, test, at }: { readonly publisher: string; readonly test: boolean; readonly at: number },
): ServedAd {
  const ad = JSON.parse(body) as { readonly id: string; readonly impressionUrl: string };
  const requestId = new URL(ad.impressionUrl).searchParams.get('requestId')!;
  return { requestId, publisher, test, known: knownOf(ad.id), issuedAt: at };
}

/** Returns what an event must cost if its budget has room for it, in micros. */
export function priceOf({ ad: { known, test }, kind }: Pick<BookedEvent, 'ad' | 'kind'>): number {
  const billed = known.model === 'cpm' ? 'impression' : 'click';
  return !test && kind === billed ? known.eventMicros : 0;
}

/** Returns the ledger's primary key as one string. */
export function keyOf(digest: string, kind: EventKind): string {
  return `${digest} ${kind}`;
}

/** Returns the digest of a request id, which the ledger uses as its key. */
export function digestOf(requestId: string): string {
  return createHash('sha256').update(requestId).digest('hex').slice(0, 32);
}

import { createHash } from 'node:crypto';
import type { EventKind } from '../../../models/schema/usage-event.js';
import { knownOf, type Known } from './catalogue.js';

/** An ad as a caller got it. */
export interface ServedAd {
  readonly requestId: string;
  readonly publisher: string;
  readonly test: boolean;
  readonly known: Known;
  /** By the server's clock. */
  readonly issuedAt: number;
}

/** What a caller was told of an event: it is counted (200, 302), it is not (503), or nothing. */
export type Told = 'acknowledged' | 'refused' | 'nothing';

/** One impression, view or click that was sent at least once. */
export interface BookedEvent {
  readonly ad: ServedAd;
  readonly kind: EventKind;
  /** The ledger's name for the request id. */
  readonly digest: string;
  /** Whether a caller was told, beyond doubt, that it is counted, or will be once the ledger can store it. */
  promised: boolean;
  /** What the ledger was seen to hold of it; it may never change. */
  row: Row | null;
}

/** A row of the ledger's events. */
export interface Row {
  readonly at: number;
  readonly price: number;
  readonly reason: string;
  readonly month: number;
}

/** All that callers were told, kept without asking the server. */
export interface Books {
  readonly events: ReadonlyMap<string, BookedEvent>;
  /** Those that were sent since the last `takeTouched`. */
  takeTouched(): readonly BookedEvent[];
  /**
   * The disk keeps these events for the ledger, by their keys: they may be stored later, without being sent again.
   *
   * @returns those that nobody sent
   */
  waiting(keys: ReadonlySet<string>): readonly string[];
  /** Called before an event is sent, so that one that is counted without an answer is known. */
  sent(ad: ServedAd, kind: EventKind): void;
  /** @param certain whether the answer leaves no doubt: its ad is in time, and the ledger could be reached */
  told(ad: ServedAd, kind: EventKind, told: Told, certain: boolean): void;
  /** How often callers were told what. */
  readonly tally: Readonly<Record<Told, number>>;
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
    told(ad, kind, told, certain) {
      tally[told]++;
      const event = eventOf(ad, kind);
      event.promised ||= told === 'acknowledged' && certain;
      touched.add(event);
    },
    tally,
  };
}

/** An ad's request id and what else is known of it. @param publisher whose key asked */
export function answeredAd(
  body: string,
  { publisher, test, at }: { readonly publisher: string; readonly test: boolean; readonly at: number },
): ServedAd {
  const ad = JSON.parse(body) as { readonly id: string; readonly impressionUrl: string };
  const requestId = new URL(ad.impressionUrl).searchParams.get('requestId')!;
  return { requestId, publisher, test, known: knownOf(ad.id), issuedAt: at };
}

/** What an event must cost where a budget has room for it, in micros. */
export function priceOf({ ad: { known, test }, kind }: Pick<BookedEvent, 'ad' | 'kind'>): number {
  const billed = known.model === 'cpm' ? 'impression' : 'click';
  return !test && kind === billed ? known.eventMicros : 0;
}

/** The ledger's primary key, as one text. */
export function keyOf(digest: string, kind: EventKind): string {
  return `${digest} ${kind}`;
}

/** The ledger's primary key is not the request id itself. */
export function digestOf(requestId: string): string {
  return createHash('sha256').update(requestId).digest('hex').slice(0, 32);
}

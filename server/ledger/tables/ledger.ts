import type { EventKind, IgnoredReason, NoFillReason } from '../../../models/schema/event-kinds.js';
import type { Account } from '../../domain/billing.js';
import type { Claims } from '../../domain/claims.js';
import type { LanguageLabel } from '../../domain/language-label.js';

/** An impression, view or click with a verified request id. `id` is the request id's digest: 16 bytes, hex. */
export interface UsageEvent {
  readonly kind: EventKind;
  readonly id: string;
  readonly claims: Claims;
  /** When it happened, epoch milliseconds. */
  readonly at: number;
  /** The event counts only if the impression of the same request id is stored; otherwise it is `no-impression`. */
  readonly needsShown?: true;
  /** The click is `too-soon` if that impression came after this moment, epoch milliseconds. */
  readonly shownBy?: number;
  /**
   * Another server, with its own clock, may have recorded that impression. The click is then `too-soon` only if the
   * interval is too short by a clock that servers share, too.
   */
  readonly shownElsewhere?: true;
  /** When this server received the event, by `elapsedMs`: it may be stored much later. Absent: it is stored at once. */
  readonly seenAt?: number;
  /**
   * The event was kept in a file in the meantime, and may have been stored or ignored before. It keeps its time. If the
   * ledger ignores it, the ledger does not count it as ignored: the module that kept the event counts it, once.
   */
  readonly replayed?: true;
}

/** The outcome of an event: counted, with its price, or ignored, with the reason. */
export type Outcome =
  | { readonly counted: true; readonly priceMicros: number }
  | { readonly counted: false; readonly reason: IgnoredReason };

/** An event ignored before it reaches the ledger (no valid request id, a HEAD request, a crawler …). */
export interface IgnoredEvent {
  readonly kind: EventKind;
  readonly reason: IgnoredReason;
  /** The claims of the request id if it was verified; otherwise null. */
  readonly claims: Claims | null;
  readonly at: number;
}

/** One decision of the match endpoint, for the counters. */
export interface DecisionRecord {
  readonly publisher: string;
  readonly test: boolean;
  /** The ad served, or the reason for the no-fill. */
  readonly result:
    | {
        readonly filled: true;
        readonly creative: string;
        readonly campaign: string | null;
        readonly advertiser: string | null;
      }
    | { readonly filled: false; readonly reason: NoFillReason };
  /** The conversation's language; absent: the decision is not counted by language. */
  readonly language?: LanguageLabel;
  readonly at: number;
}

/** Micros that an account has spent in total and on one day. */
export interface Spend extends Account {
  readonly total: number;
  readonly today: number;
}

/** Counts decisions and events, each event once. */
export interface Ledger {
  /** Resolves once the event is durable. @throws LedgerUnavailableError when it could not be made durable */
  record(event: UsageEvent): Promise<Outcome>;
  /** Counts an ignored event; flushed within a second, never awaited by a request. */
  ignore(event: IgnoredEvent): void;
  /** Counts a decision; flushed within a second, never awaited by a request. */
  countDecision(decision: DecisionRecord): void;
  /** Writes pending events and counters, then closes the store. */
  close(): Promise<void>;
}

/**
 * The store could not make an event durable (disk full, locked, unreachable). The client may send the same event again.
 */
export class LedgerUnavailableError extends Error {
  constructor(cause: unknown) {
    super('the ledger could not store the event', { cause });
    this.name = 'LedgerUnavailableError';
  }
}

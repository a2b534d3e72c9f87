import type { EventKind, IgnoredReason, NoFillReason } from '../../../models/schema/usage-event.js';
import type { Account } from '../../domain/billing.js';
import type { Claims } from '../../domain/claims.js';
import type { LanguageLabel } from '../../domain/language-label.js';

/** An impression, view or click whose request id was verified. `id` is the request id's digest: 16 bytes, hex. */
export interface UsageEvent {
  readonly kind: EventKind;
  readonly id: string;
  readonly claims: Claims;
  /** When it happened, epoch milliseconds. */
  readonly at: number;
  /** It counts only where the impression of the same request id is stored; otherwise it is `no-impression`. */
  readonly needsShown?: true;
  /** Such a click is `too-soon` where that impression came after this moment, epoch milliseconds. */
  readonly shownBy?: number;
  /**
   * Another server may have recorded that impression, by a clock of its own: the click is `too-soon` only where that came as
   * shortly before it by a clock that servers share, too.
   */
  readonly shownElsewhere?: true;
  /** When this server has seen it, by `elapsedMs`: it may be stored much later. Absent: it is stored at once. */
  readonly seenAt?: number;
  /**
   * It was kept elsewhere meanwhile and may have been stored or ignored before: it keeps its time, and where the ledger
   * ignores it, whoever kept it says so once.
   */
  readonly replayed?: true;
}

/** The outcome of an event: counted (and what it costs), or ignored and why. */
export type Outcome =
  | { readonly counted: true; readonly priceMicros: number }
  | { readonly counted: false; readonly reason: IgnoredReason };

/** An event that is not counted from the start (no valid request id, a HEAD, a crawler …). */
export interface IgnoredEvent {
  readonly kind: EventKind;
  readonly reason: IgnoredReason;
  /** The claims of a verified request id, when there was one. */
  readonly claims: Claims | null;
  readonly at: number;
}

/** One answer of the match endpoint, for the counters. */
export interface DecisionRecord {
  readonly publisher: string;
  readonly test: boolean;
  /** The ad answered, or why there was none. */
  readonly result:
    | {
        readonly filled: true;
        readonly creative: string;
        readonly campaign: string | null;
        readonly advertiser: string | null;
      }
    | { readonly filled: false; readonly reason: NoFillReason };
  /** Of the conversation; absent: it is not counted by language. */
  readonly language?: LanguageLabel;
  readonly at: number;
}

/** Micros that an account has spent, in all and on one day. */
export interface Spend extends Account {
  readonly total: number;
  readonly today: number;
}

/** Counts what happens to ads, each event once. */
export interface Ledger {
  /** Resolves once the event is durable. @throws LedgerUnavailableError when it could not be made durable */
  record(event: UsageEvent): Promise<Outcome>;
  /** Counts an ignored event; flushed within a second, never awaited by a request. */
  ignore(event: IgnoredEvent): void;
  /** Counts a decision; flushed within a second, never awaited by a request. */
  countDecision(decision: DecisionRecord): void;
  /** Writes waiting counters, ends open work, closes the store. */
  close(): Promise<void>;
}

/** The store could not make an event durable (disk full, locked, away). The same event may be sent again. */
export class LedgerUnavailableError extends Error {
  constructor(cause: unknown) {
    super('the ledger could not store the event', { cause });
    this.name = 'LedgerUnavailableError';
  }
}

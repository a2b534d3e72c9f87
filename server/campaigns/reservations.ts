/** Ads answered but not paid for yet, as the money that they may still cost. In memory: the ledger is what holds. */
export interface Reservations {
  /** An ad was answered at `at`, epoch milliseconds, that is expected to cost `micros`. */
  add(account: string, at: number, micros: number): void;
  /** The ad answered at `at` was paid for. */
  release(account: string, at: number, micros: number): void;
  /** What an account's ads may still cost, in micros. */
  expected(account: string, now: number): number;
  /** How many spans are held: at most `WINDOW_MS / SPAN_MS` an account, whatever the traffic. */
  readonly size: number;
}

const SPAN_MS = 10 * 60_000;
/** An impression's window by default; what is older no longer counts here. */
const WINDOW_MS = 24 * 3_600_000;
/** Ads are shown within seconds of their answer, or not at all but for a few: a chat that is opened again. */
const LATE_SHARE = 0.02;

/**
 * Sums by account and span of ten minutes. The current span and the one before are expected in full, older ones by
 * a fiftieth: an ad not shown by then almost never is, and a budget must not wait a day for it.
 */
export function createReservations(): Reservations {
  const accounts = new Map<string, Map<number, number>>();
  let swept = 0;

  const sweep = (span: number): void => {
    if (span === swept) return;
    swept = span;
    for (const [account, spans] of accounts) {
      for (const [each, micros] of spans) {
        const isAhead = each > span;
        if (isAhead || each < span - WINDOW_MS / SPAN_MS) spans.delete(each);
        // The clock was put back: it is not held for as long as that.
        if (isAhead) spans.set(span, (spans.get(span) ?? 0) + micros);
      }
      if (spans.size === 0) accounts.delete(account);
    }
  };

  return {
    add(account, at, micros) {
      const span = Math.floor(at / SPAN_MS);
      sweep(span);
      const spans = accounts.get(account) ?? new Map<number, number>();
      accounts.set(account, spans.set(span, (spans.get(span) ?? 0) + micros));
    },
    release(account, at, micros) {
      const spans = accounts.get(account);
      const span = Math.min(Math.floor(at / SPAN_MS), swept);
      const held = spans?.get(span);
      // What was answered before this process began was never added.
      if (held !== undefined) spans?.set(span, Math.max(0, held - micros));
    },
    expected(account, now) {
      const current = Math.floor(now / SPAN_MS);
      sweep(current);
      let sum = 0;
      for (const [span, micros] of accounts.get(account) ?? []) {
        sum += span >= current - 1 ? micros : micros * LATE_SHARE;
      }
      return sum;
    },
    get size() {
      return [...accounts.values()].reduce((total, spans) => total + spans.size, 0);
    },
  };
}

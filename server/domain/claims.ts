import type { Pricing } from '../../models/schema/creative.js';

/** What a request id carries: all that counting and billing an ad needs, so that no log of decisions is needed. */
export interface Claims {
  readonly publisher: string;
  readonly creative: string;
  readonly campaign: string | null;
  readonly advertiser: string | null;
  readonly pricing: Pricing | null;
  /** When the ad was answered, epoch milliseconds. */
  readonly issuedAt: number;
  /** True for a test key's ad: never billed, counted apart. */
  readonly test: boolean;
  /** True for the ad of a key for browsers only. */
  readonly browsersOnly?: true;
  /** What may be spent for the campaign (or the creative, where it has none); absent: without limit. */
  readonly limits?: Limits;
}

/** A budget, in micros: in all, and within one day of the installation's time zone. Null: without limit. */
export interface Limits {
  readonly totalMicros: number | null;
  readonly dailyMicros: number | null;
}

/** A request id read back: its claims and its digest (16 bytes, hex; the ledger's key), or why it is not one. */
export type Verified =
  | { readonly valid: true; readonly claims: Claims; readonly digest: string }
  | { readonly valid: false; readonly reason: 'missing' | 'invalid' | 'foreign' };

/** Issues and reads request ids. Age is checked by the caller: an impression and a click have different windows. */
export interface RequestIds {
  issue(claims: Claims): string;
  verify(requestId: string | undefined): Verified;
}

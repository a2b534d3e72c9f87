import type { Pricing } from '../../models/schema/creative.js';

/** The content of a request id: everything needed to count and bill an ad, so that no log of decisions is needed. */
export interface Claims {
  readonly publisher: string;
  readonly creative: string;
  readonly campaign: string | null;
  readonly advertiser: string | null;
  readonly pricing: Pricing | null;
  /** When the ad was served, epoch milliseconds. */
  readonly issuedAt: number;
  /** True for a test key's ad: never billed, counted separately. */
  readonly test: boolean;
  /** True for an ad served to a browser key: only browsers' events count. */
  readonly browsersOnly?: true;
  /** Budgets of the campaign (or of the creative, if it has none); absent: no limit. */
  readonly limits?: Limits;
}

/** Budgets in micros: in total, and per day of the installation's time zone. Null: no limit. */
export interface Limits {
  readonly totalMicros: number | null;
  readonly dailyMicros: number | null;
}

/** A verified request id: its claims and its digest (16 bytes, hex; the ledger's key), or why it is not valid. */
export type Verified =
  | { readonly valid: true; readonly claims: Claims; readonly digest: string }
  | { readonly valid: false; readonly reason: 'missing' | 'invalid' | 'foreign' };

/** Issues and verifies request ids. The caller checks the age: impressions and clicks have different windows. */
export interface RequestIds {
  issue(claims: Claims): string;
  verify(requestId: string | undefined): Verified;
}

import type { EventKind } from '../../models/schema/usage-event.js';
import type { Claims } from '../domain/claims.js';

/** How long after its ad an event still counts, in milliseconds: two settings. */
export interface ValidWindows {
  /** For impressions and views: a page shows its ads soon. */
  readonly impressionWindowMs: number;
  /** For clicks: a chat is found again and read weeks later. */
  readonly clickWindowMs: number;
}

/** An event counts up to the last millisecond of its window. One from before its ad is a clock's fault and counts too. */
export function isExpired({ issuedAt }: Claims, kind: EventKind, now: number, windows: ValidWindows): boolean {
  return now - issuedAt > (kind === 'click' ? windows.clickWindowMs : windows.impressionWindowMs);
}

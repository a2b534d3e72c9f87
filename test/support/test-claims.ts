import type { Claims } from '../../server/domain/claims.js';

/** Returns the claims of a billable ad of the campaign Spring; `changes` replaces single claims. */
export function testClaims(changes: Partial<Claims> = {}): Claims {
  return {
    publisher: 'Garden Chat',
    creative: 'mower-1',
    campaign: 'Spring',
    advertiser: 'Green',
    pricing: { model: 'cpm', micros: 2_500_000 },
    issuedAt: 0,
    test: false,
    ...changes,
  };
}

/** Returns a request id's digest as the ledger takes it (16 bytes, hex); different for every number. */
export function testDigest(number: number): string {
  return number.toString(16).padStart(32, '0');
}

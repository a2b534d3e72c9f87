import type { Claims } from './claims.js';

const TEST = 1;
const CPM = 2;
const CPC = 4;
const CAMPAIGN = 8;
const ADVERTISER = 16;

/** Flags, issue time (6 bytes) and price (6 bytes). */
const FIXED_BYTES = 13;

/**
 * Claims as bytes: flags, issue time, price, then publisher, creative and, where there are any, campaign and
 * advertiser as UTF-8 behind a 2-byte length. About half of the same in JSON, and every URL of an ad carries it.
 */
export function packClaims(claims: Claims): Buffer {
  const fixed = Buffer.alloc(FIXED_BYTES);
  fixed[0] = flagsOf(claims);
  fixed.writeUIntBE(claims.issuedAt, 1, 6);
  fixed.writeUIntBE(claims.pricing?.micros ?? 0, 7, 6);
  const names = [claims.publisher, claims.creative, claims.campaign, claims.advertiser];
  return Buffer.concat([fixed, ...names.filter((name) => name !== null).flatMap(packName)]);
}

/** The reverse of `packClaims`, for bytes that were authenticated. */
export function unpackClaims(bytes: Buffer): Claims {
  const flags = bytes.readUInt8(0);
  const micros = bytes.readUIntBE(7, 6);
  let position = FIXED_BYTES;
  const name = (): string => {
    const start = position + 2;
    position = start + bytes.readUInt16BE(position);
    return bytes.toString('utf8', start, position);
  };
  return {
    publisher: name(),
    creative: name(),
    campaign: flags & CAMPAIGN ? name() : null,
    advertiser: flags & ADVERTISER ? name() : null,
    pricing: flags & CPM ? { model: 'cpm', micros } : flags & CPC ? { model: 'cpc', micros } : null,
    issuedAt: bytes.readUIntBE(1, 6),
    test: (flags & TEST) !== 0,
  };
}

function flagsOf({ test, pricing, campaign, advertiser }: Claims): number {
  const priced = pricing === null ? 0 : pricing.model === 'cpm' ? CPM : CPC;
  return (test ? TEST : 0) | priced | (campaign === null ? 0 : CAMPAIGN) | (advertiser === null ? 0 : ADVERTISER);
}

function packName(name: string): Buffer[] {
  const text = Buffer.from(name, 'utf8');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return [length, text];
}

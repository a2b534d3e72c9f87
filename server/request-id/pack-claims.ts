import type { Claims } from '../domain/claims.js';

const TEST = 1;
const CPM = 2;
const CPC = 4;
const CAMPAIGN = 8;
const ADVERTISER = 16;
const TOTAL = 32;
const DAILY = 64;
const BROWSERS_ONLY = 128;

/** Flags (1 byte), issue time (6 bytes) and price (6 bytes). */
const FIXED_BYTES = 13;

/**
 * Packs claims into bytes: flags, issue time, price, then publisher, creative and, if present, campaign and advertiser
 * as UTF-8 with a 2-byte length prefix, then total and daily budget in 8 bytes each. About half the size of JSON; every
 * URL of an ad carries it.
 */
export function packClaims(claims: Claims): Buffer {
  const fixed = Buffer.alloc(FIXED_BYTES);
  fixed[0] = flagsOf(claims);
  fixed.writeUIntBE(claims.issuedAt, 1, 6);
  fixed.writeUIntBE(claims.pricing?.micros ?? 0, 7, 6);
  const names = [claims.publisher, claims.creative, claims.campaign, claims.advertiser];
  const limits = [claims.limits?.totalMicros ?? null, claims.limits?.dailyMicros ?? null];
  return Buffer.concat([
    fixed,
    ...names.filter((name) => name !== null).flatMap(packName),
    ...limits.filter((micros) => micros !== null).map(packMicros),
  ]);
}

/** Unpacks the output of `packClaims`. The bytes must be authenticated. */
export function unpackClaims(bytes: Buffer): Claims {
  const flags = bytes.readUInt8(0);
  const micros = bytes.readUIntBE(7, 6);
  let position = FIXED_BYTES;
  const name = (): string => {
    const start = position + 2;
    position = start + bytes.readUInt16BE(position);
    return bytes.toString('utf8', start, position);
  };
  const limit = (): number => Number(bytes.readBigUInt64BE((position += 8) - 8));
  const names = {
    publisher: name(),
    creative: name(),
    campaign: flags & CAMPAIGN ? name() : null,
    advertiser: flags & ADVERTISER ? name() : null,
  };
  const limits = { totalMicros: flags & TOTAL ? limit() : null, dailyMicros: flags & DAILY ? limit() : null };
  return {
    ...names,
    pricing: flags & CPM ? { model: 'cpm', micros } : flags & CPC ? { model: 'cpc', micros } : null,
    issuedAt: bytes.readUIntBE(1, 6),
    test: (flags & TEST) !== 0,
    ...(flags & BROWSERS_ONLY ? { browsersOnly: true as const } : {}),
    ...(flags & (TOTAL | DAILY) ? { limits } : {}),
  };
}

function flagsOf({ test, pricing, campaign, advertiser, limits, browsersOnly }: Claims): number {
  const priced = pricing === null ? 0 : pricing.model === 'cpm' ? CPM : CPC;
  const names = (campaign === null ? 0 : CAMPAIGN) | (advertiser === null ? 0 : ADVERTISER);
  const limited =
    ((limits?.totalMicros ?? null) === null ? 0 : TOTAL) | ((limits?.dailyMicros ?? null) === null ? 0 : DAILY);
  return (test ? TEST : 0) | (browsersOnly ? BROWSERS_ONLY : 0) | priced | names | limited;
}

function packMicros(micros: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(micros));
  return bytes;
}

function packName(name: string): Buffer[] {
  const text = Buffer.from(name, 'utf8');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return [length, text];
}

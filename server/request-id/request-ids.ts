import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Claims, RequestIds, Verified } from '../domain/claims.js';
import type { SigningKey } from '../domain/secrets.js';

/** The first byte of every request id; another layout gets another number. */
const VERSION = 1;
const KEY_ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + KEY_ID_BYTES;

/** No id that we issue is longer (three names of 200 characters, an id of 128, 4 bytes each, in base64); longer ones are not decoded. */
const MAX_CHARACTERS = 8192;

/**
 * Issues and reads request ids: `base64url(version ‖ key id ‖ IV ‖ AES-256-GCM(claims) ‖ tag)`. Version and key id are
 * authenticated too, so that no byte of an id can be changed.
 *
 * @param keys the first one issues; all of them verify
 * @param random a source of random bytes, 12 an id; an IV must never come twice
 */
export function createRequestIds(
  keys: readonly [SigningKey, ...SigningKey[]],
  random: (bytes: number) => Buffer = randomBytes,
): RequestIds {
  const issuing = keys[0];
  const known = new Map(keys.map((key) => [key.id, key]));

  return {
    issue(claims) {
      const head = Buffer.concat([Buffer.of(VERSION), Buffer.from(issuing.id, 'hex')]);
      const iv = random(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', issuing.secret, iv).setAAD(head);
      const sealed = Buffer.concat([cipher.update(packClaims(claims)), cipher.final()]);
      return Buffer.concat([head, iv, sealed, cipher.getAuthTag()]).toString('base64url');
    },

    verify(requestId) {
      if (requestId === undefined || requestId === '') return { valid: false, reason: 'missing' };
      return open(known, requestId) ?? { valid: false, reason: 'invalid' };
    },
  };
}

function open(known: ReadonlyMap<string, SigningKey>, requestId: unknown): Verified | undefined {
  if (typeof requestId !== 'string' || requestId.length > MAX_CHARACTERS) return undefined;
  const bytes = Buffer.from(requestId, 'base64url');
  // Decoding forgives foreign characters and stray bits; an id has one spelling only, or its digest would have several.
  if (bytes.toString('base64url') !== requestId) return undefined;
  if (bytes[0] !== VERSION || bytes.length <= HEAD_BYTES + IV_BYTES + TAG_BYTES) return undefined;
  const key = known.get(bytes.toString('hex', 1, HEAD_BYTES));
  if (key === undefined) return undefined;

  const sealedAt = HEAD_BYTES + IV_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key.secret, bytes.subarray(HEAD_BYTES, sealedAt), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(bytes.subarray(0, HEAD_BYTES)).setAuthTag(bytes.subarray(-TAG_BYTES));
  const packed = decipher.update(bytes.subarray(sealedAt, -TAG_BYTES));
  try {
    decipher.final();
  } catch {
    return undefined;
  }
  return { valid: true, claims: unpackClaims(packed), digest: digestRequestId(requestId) };
}

/** The ledger's name for a request id: the first 16 bytes of its SHA-256, in hex. */
export function digestRequestId(requestId: string): string {
  return createHash('sha256').update(requestId).digest('hex').slice(0, 32);
}

const TEST = 1;
const CPM = 2;
const CPC = 4;
const CAMPAIGN = 8;
const ADVERTISER = 16;
const TOTAL = 32;
const DAILY = 64;

/** Flags, issue time (6 bytes) and price (6 bytes). */
const FIXED_BYTES = 13;

/**
 * Claims as bytes: flags, issue time, price, then publisher, creative and, where there are any, campaign and
 * advertiser as UTF-8 behind a 2-byte length, total and daily limit in 8 bytes each. About half of the same in JSON, and every URL of an ad carries it.
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
    ...(flags & (TOTAL | DAILY) ? { limits } : {}),
  };
}

function flagsOf({ test, pricing, campaign, advertiser, limits }: Claims): number {
  const priced = pricing === null ? 0 : pricing.model === 'cpm' ? CPM : CPC;
  const names = (campaign === null ? 0 : CAMPAIGN) | (advertiser === null ? 0 : ADVERTISER);
  const limited =
    ((limits?.totalMicros ?? null) === null ? 0 : TOTAL) | ((limits?.dailyMicros ?? null) === null ? 0 : DAILY);
  return (test ? TEST : 0) | priced | names | limited;
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

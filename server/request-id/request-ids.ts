import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { packClaims, unpackClaims } from './claims-bytes.js';
import type { RequestIds, Verified } from '../domain/claims.js';
import type { SigningKey } from '../domain/signing-key.js';

/** The first byte of every request id; another layout gets another number. */
const VERSION = 1;
const KEY_ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + KEY_ID_BYTES;

/** No id that we issue is longer (three labels of 200 characters, 4 bytes each, in base64); longer ones are not decoded. */
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
  return { valid: true, claims: unpackClaims(packed), digest: digest(requestId) };
}

/** The ledger's name for a request id: the first 16 bytes of its SHA-256, in hex. */
function digest(requestId: string): string {
  return createHash('sha256').update(requestId).digest('hex').slice(0, 32);
}

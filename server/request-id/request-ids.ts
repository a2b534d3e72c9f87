import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Claims, RequestIds, Verified } from '../domain/claims.js';
import type { SigningKey } from '../domain/signing-key.js';
import { sha256 } from '../../platform/text/sha256.js';
import { packClaims, unpackClaims } from './pack-claims.js';
import { isOurs, createSigningKeySet, type SigningKeys, type SigningKeySet } from './signing-key-set.js';

/** The first byte of every request id; another layout gets another number. */
const VERSION = 2;
/** Version of earlier releases, without an installation. */
const VERSION_WITHOUT_INSTALLATION = 1;
const KEY_ID_BYTES = 4;
const INSTALLATION_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * No issued id is longer (three names of 200 characters and an id of 128, 4 bytes each, in base64). Longer ones are
 * rejected without decoding.
 */
const MAX_CHARACTERS = 8192;

/**
 * Creates the issuer and verifier of request ids: `base64url(version ‖ key id ‖ installation ‖ IV ‖ AES-256-GCM(claims)
 * ‖ tag)`. The part before the IV is authenticated too, so no byte of an id can be changed.
 *
 * @param keys the current keys, read for each id; or a fixed list whose first key issues, for no particular
 * installation
 * @param random a source of random bytes, 12 per id; an IV must never repeat
 */
export function createRequestIds(
  keys: SigningKeys | readonly [SigningKey, ...SigningKey[]],
  random: (bytes: number) => Buffer = randomBytes,
): RequestIds {
  const signingKeys: SigningKeys = 'current' in keys ? keys : { current: createSigningKeySet({ keys }) };

  return {
    issue(claims) {
      const { issuing, installation } = signingKeys.current;
      const head = Buffer.concat([Buffer.of(VERSION), Buffer.from(issuing.id + installation, 'hex')]);
      const iv = random(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', issuing.secret, iv).setAAD(head);
      const sealed = Buffer.concat([cipher.update(packClaims(claims)), cipher.final()]);
      return Buffer.concat([head, iv, sealed, cipher.getAuthTag()]).toString('base64url');
    },

    verify(requestId) {
      if (requestId === undefined || requestId === '') return { valid: false, reason: 'missing' };
      return open(signingKeys.current, requestId) ?? { valid: false, reason: 'invalid' };
    },
  };
}

function open(keySet: SigningKeySet, requestId: unknown): Verified | undefined {
  if (typeof requestId !== 'string' || requestId.length > MAX_CHARACTERS) return undefined;
  const bytes = Buffer.from(requestId, 'base64url');
  // The decoder tolerates foreign characters and stray bits. An id must have one spelling only, or it would have
  // several digests.
  if (bytes.toString('base64url') !== requestId) return undefined;
  const headBytes = headBytesOf(bytes[0]);
  if (headBytes === undefined || bytes.length <= headBytes + IV_BYTES + TAG_BYTES) return undefined;
  const key = keySet.find(bytes.toString('hex', 1, 1 + KEY_ID_BYTES));
  if (key === undefined) return undefined;
  const claims = unseal(key, bytes, headBytes);
  if (claims === undefined) return undefined;
  const installation = bytes.toString('hex', 1 + KEY_ID_BYTES, headBytes);
  if (!isOurs(keySet, installation, claims.issuedAt)) return { valid: false, reason: 'foreign' };
  return { valid: true, claims, digest: digestRequestId(requestId) };
}

/** Returns the length of the header: version, key id and, except in ids of earlier releases, installation. */
function headBytesOf(version: number | undefined): number | undefined {
  if (version === VERSION) return 1 + KEY_ID_BYTES + INSTALLATION_BYTES;
  return version === VERSION_WITHOUT_INSTALLATION ? 1 + KEY_ID_BYTES : undefined;
}

function unseal({ secret }: SigningKey, bytes: Buffer, headBytes: number): Claims | undefined {
  const sealedAt = headBytes + IV_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(headBytes, sealedAt), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(bytes.subarray(0, headBytes)).setAuthTag(bytes.subarray(-TAG_BYTES));
  const packed = decipher.update(bytes.subarray(sealedAt, -TAG_BYTES));
  try {
    decipher.final();
  } catch {
    return undefined;
  }
  return unpackClaims(packed);
}

/** Returns the ledger's key for a request id: the first 16 bytes of its SHA-256, in hex. */
export function digestRequestId(requestId: string): string {
  return sha256(requestId).slice(0, 32);
}

import { createHash } from 'node:crypto';

const SECRET_BYTES = 32;

/** A secret that seals request ids. Its id (4 bytes, hex) is derived from the secret and is part of each request id. */
export interface SigningKey {
  readonly id: string;
  readonly secret: Buffer;
}

/** A setting or file of signing keys is invalid; the message says where and what was expected. */
export class SigningKeysError extends Error {
  override readonly name = 'SigningKeysError';
}

/**
 * Reads one secret: 32 bytes as base64 or base64url (`openssl rand -base64 32` makes one).
 *
 * @param place names the source in the error, which never shows the secret itself
 * @throws SigningKeysError
 */
export function parseSigningKey(text: string, place: string): SigningKey {
  const secret = Buffer.from(text, 'base64');
  if (!/^[\w+/-]{43}=?$/.test(text) || secret.length !== SECRET_BYTES) {
    throw new SigningKeysError(`${place} is not 32 bytes in base64 (make one with: openssl rand -base64 32)`);
  }
  const id = createHash('sha256').update('adjacent request-id key').update(secret).digest('hex').slice(0, 8);
  return { id, secret };
}

/**
 * Reads the SIGNING_KEYS setting: secrets separated by commas or blanks. The first one issues, all verify; to rotate,
 * put the new one first.
 *
 * @throws SigningKeysError naming the position of the invalid key
 */
export function parseSigningKeys(setting: string): [SigningKey, ...SigningKey[]] {
  const texts = setting.split(/[\s,]+/).filter((text) => text !== '');
  const keys = texts.map((text, position) => parseSigningKey(text, `SIGNING_KEYS: key ${position + 1}`));
  const [first, ...others] = keys;
  if (first === undefined) throw new SigningKeysError('SIGNING_KEYS holds no key; unset it to use the stored ones');
  const ids = new Set(keys.map((key) => key.id));
  if (ids.size < keys.length) throw new SigningKeysError('SIGNING_KEYS holds the same key twice');
  return [first, ...others];
}

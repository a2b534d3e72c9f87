import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Whether two secrets are equal, in constant time. */
export function equalSecrets(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Returns the first 16 bytes of an HMAC-SHA-256, which cannot be reversed, or compared with another key's, once the key
 * is gone.
 */
export function keyedHash(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url').slice(0, 22);
}

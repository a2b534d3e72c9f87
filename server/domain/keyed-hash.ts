import { createHmac } from 'node:crypto';

/** HMAC-SHA-256, its first 16 bytes: what cannot be turned back, nor compared with another key's, once the key is gone. */
export function keyedHash(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url').slice(0, 22);
}

import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { sha256 } from '../../platform/text/sha256.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^pub_[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/**
 * Generates a publisher key or an access token: a prefix, 30 base62 characters (178 random bits), 6 characters of
 * checksum. With the checksum, scanners for leaked keys and this server recognise a mistyped key without a look-up.
 */
export function generateKey(prefix: 'pub' | 'access' = 'pub'): string {
  const secret = randomText(SECRET_LENGTH);
  return `${prefix}_${secret}${checksum(secret)}`;
}

/** Whether a text has the form of a key, including its checksum; not whether the key is known. */
export function isKeyShaped(text: string): boolean {
  if (!FORM.test(text)) return false;
  const secret = text.slice(4, 4 + SECRET_LENGTH);
  return text.endsWith(checksum(secret));
}

/** Returns the stored digest of a key: its SHA-256 in hex. Keys are random enough that no slow hash is needed. */
export function keyDigest(key: string): string {
  return sha256(key);
}

/** Generates a short public name for a key, for commands and logs. */
export function generateKeyId(): string {
  return `key_${randomText(10)}`;
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

function checksum(secret: string): string {
  let rest = crc32(secret);
  let text = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    text = `${ALPHABET[rest % ALPHABET.length]}${text}`;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}

import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two secrets are equal, in a time that depends on neither. */
export function equalSecrets(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

import { createHash } from 'node:crypto';

/** Returns the SHA-256 in hex. */
export function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
